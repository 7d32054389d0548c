#include "netns/sysctls.hh"

#include "base/errors.hh"
#include "tests/netns/lab_fixture.hh"

#include <gmock/gmock.h>

#include <array>
#include <set>

namespace netns {
namespace {

using testing::HasSubstr;

TEST(SysctlTables, EachNameOnceAndEachWithAReason) {
  for (const auto settings : {end_sysctls(), wire_sysctls()}) {
    std::set<std::string_view> names;
    for (const SysctlSetting& setting : settings) {
      EXPECT_TRUE(names.insert(setting.name).second) << setting.name;
      EXPECT_TRUE(setting.name.starts_with("net.")) << setting.name;
      EXPECT_FALSE(setting.reason.empty()) << setting.name;
    }
  }
}

class SysctlsTest : public LabFixture {
 protected:
  std::vector<SysctlFact> apply_in_client(std::span<const SysctlSetting> settings) {
    const Entered inside(network_->client_namespace());
    return apply_sysctls(settings);
  }
};

TEST_F(SysctlsTest, ValuesAreSetAndReadBack) {
  constexpr std::array kSettings{
      SysctlSetting{"net.ipv4.tcp_syn_retries", "3", "test"},
      SysctlSetting{"net.ipv4.tcp_rmem", "4096 87380 1048576", "test"},
      SysctlSetting{"net.ipv4.tcp_sack", "", "only read"},
      SysctlSetting{"net.ipv4.no_such_setting", "1", "absent"},
  };
  const auto facts = apply_in_client(kSettings);
  EXPECT_EQ(facts[0].value, "3");
  EXPECT_EQ(facts[1].value, "4096 87380 1048576");
  EXPECT_EQ(facts[2].value, "1");
  EXPECT_EQ(facts[3].value, std::nullopt);
  EXPECT_EQ(facts[3].name, "net.ipv4.no_such_setting");
}

TEST_F(SysctlsTest, ValueThatTheKernelRefusesIsAnError) {
  constexpr std::array kRefused{SysctlSetting{"net.ipv4.tcp_syn_retries", "many", "test"}};
  try {
    apply_in_client(kRefused);
    FAIL() << "accepted";
  } catch (const base::LabError& error) {
    EXPECT_THAT(error.what(), HasSubstr("set the sysctl net.ipv4.tcp_syn_retries to \"many\""));
  }
}

TEST_F(SysctlsTest, ValueThatDoesNotStickIsAnError) {
  // The kernel takes it and reports "5".
  constexpr std::array kRewritten{SysctlSetting{"net.ipv4.tcp_syn_retries", "05", "test"}};
  EXPECT_THROW(apply_in_client(kRewritten), base::LabError);
}

TEST_F(SysctlsTest, ValueThatIsNotPermittedHasAnAlternative) {
  // A namespace may choose reno and the host's own default, nothing else.
  constexpr std::array kSetting{
      SysctlSetting{"net.ipv4.tcp_congestion_control", "cubic", "test", "reno"}};
  EXPECT_THAT(apply_in_client(kSetting)[0].value.value_or(""), testing::AnyOf("cubic", "reno"));
}

TEST_F(SysctlsTest, OneNamespaceDoesNotTouchAnother) {
  constexpr std::array kSetting{SysctlSetting{"net.ipv4.tcp_syn_retries", "2", "test"}};
  constexpr std::array kRead{SysctlSetting{"net.ipv4.tcp_syn_retries", "", "test"}};
  const auto before = apply_sysctls(kRead);
  apply_in_client(kSetting);
  EXPECT_EQ(apply_sysctls(kRead)[0].value, before[0].value);
  const Entered inside(network_->server_namespace());
  EXPECT_EQ(apply_sysctls(kRead)[0].value, "6");
}

}  // namespace
}  // namespace netns
