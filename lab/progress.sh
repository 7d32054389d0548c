# Shell functions for the steps of the set-up: say what is being done, how long it took, and where the log is.
# To be sourced. A step's output goes to its log; a terminal sees the elapsed seconds while it runs.

# run_step LOG TEXT COMMAND [ARGUMENT ...]
run_step() {
  local log=$1 text=$2 started=$SECONDS pid status=0
  shift 2
  mkdir -p "$(dirname "$log")"
  if [ ! -t 2 ]; then printf 'labrun: %s ...\n' "$text" >&2; fi
  # In a process group of its own, so that an interruption ends all of it.
  set -m
  "$@" >"$log" 2>&1 </dev/null &
  pid=$!
  set +m
  trap 'kill -TERM -- "-$pid" 2>/dev/null || true; wait "$pid" 2>/dev/null || true; exit 130' INT TERM
  while [ -t 2 ] && kill -0 "$pid" 2>/dev/null; do
    printf '\rlabrun: %s ... %d s ' "$text" $((SECONDS - started)) >&2
    read -r -t 1 <> <(:) || true
  done
  wait "$pid" || status=$?
  trap - INT TERM
  if [ -t 2 ]; then printf '\r\033[K' >&2; fi
  if [ "$status" -ne 0 ]; then
    printf 'labrun: %s failed after %d s (exit %d); the end of %s:\n' \
      "$text" $((SECONDS - started)) "$status" "$log" >&2
    tail -n 15 "$log" >&2
    return "$status"
  fi
  if [ $((SECONDS - started)) -ge 2 ] || [ -t 2 ]; then
    printf 'labrun: %s: done in %d s\n' "$text" $((SECONDS - started)) >&2
  fi
}

# Where images live: one per user, shared by all checkouts.
cache_folder() { printf '%s/labrun\n' "${LABRUN_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}}"; }

# recipe_hash FILE ...: the first 16 digits of the hash over the files' contents, in the order given.
recipe_hash() { cat -- "$@" | sha256sum | cut -c 1-16; }
