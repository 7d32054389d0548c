# What people type. The work is done by the scripts in lab/, which say what they do and how long it took.

SCENARIO ?= scenarios/loss2pct.yaml
PREFIX ?= /usr/local

.PHONY: help build testing run test doctor install uninstall fuzz bench format clean

help:
	@echo "make run       set up if need be, then measure $(SCENARIO) (or SCENARIO=...)"
	@echo "make test      set up if need be, then run every test"
	@echo "make build     set up only: the programs are then build/labrun, build/labquery, build/labdns"
	@echo "make testing   get the servers of Debian testing, too; a scenario that names one does it by itself"
	@echo "make doctor    what this machine can do, and what to do about what is missing"
	@echo "make install   copy programs, scenarios and image below PREFIX=$(PREFIX)"
	@echo "make uninstall take them away again"
	@echo "make bench     what a lookup costs: real time by transport, system calls"
	@echo "make fuzz      two minutes of fuzzing for each parser of untrusted bytes"
	@echo "make format    format all sources"
	@echo "make clean     remove build folders; the image stays in the cache of the user"

build:
	@lab/build-labrun release

testing: build
	@lab/build-testing build/image

run: build
	@build/labrun $(SCENARIO)

doctor: build
	@build/labrun doctor

test:
	@tests/run

install:
	@lab/install "$(PREFIX)"

uninstall:
	@lab/uninstall "$(PREFIX)"

bench: build
	@tests/bench/run

fuzz:
	@tests/fuzz/run 120

format:
	@lab/format

clean:
	rm -rf build build-dev build-fuzz
