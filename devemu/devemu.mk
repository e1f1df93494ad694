# SPDX-License-Identifier: Apache-2.0
# The device emulation: the library devemu, its front program zdev and what tests them. The main Makefile
# includes this file behind the rules of rooms; nobody who works on sockets needs it ("make sockets").
#
#   make devices          zdev              make check-devices     its tests and every published figure
#   make install-zdev

device_programs := $(O)/bin/zdev
device_pages    := $(wildcard man/zdev*.[1-8])

.PHONY: devices check-devices check-zdev check-ipsec check-ipsec-guest install-zdev
devices: $(device_programs) $(O)/share/zdev

# Where zdev looks for its tables, as in a prefix.
$(O)/share/zdev:
	@mkdir -p $(@D) && ln -sfn $(CURDIR)/zdev $@

# Programs of the tests and benchmarks that drive devices themselves.
device_helpers := $(patsubst %,$(O)/%,tests/system/ckd-tool tests/system/fctc-end bench/ckd-bench)
$(device_helpers): $(O)/%: $(O)/obj/%.o $(devemu_lib) $(devemu/qdio_lib) $(json_lib)
$(device_helpers): LIBS := $(devemu_libs)

figures_table := zdev/devices.tsv zdev/measured.tsv
figures       := $(O)/bin/zdev check -q $(addprefix --table=,$(word 1,$(figures_table))) $(addprefix --measured=,$(word 2,$(figures_table)))

# The tables in docs/devices.md, and in docs/workload.md those of the papers whose measurements lfp-workload has as programs.
documents += $(O)/devices.md $(O)/workload.md
$(O)/devices.md $(O)/workload.md: $(O)/%.md: $(O)/bin/zdev docs/%.md $(figures_table) $(wildcard zdev/scenarios/*)
	@$(figures) --format=markdown $(if $(filter workload,$*),LFP MQ TN,ZI FX) >$(O)/rows-$*.md || [ $$? = 1 ]
	@$(call between,$(O)/rows-$*.md,rows,docs/$*.md) >$@

ipsec_scripts := $(wildcard tests/system/test-zdev-ipsec*)
zdev_scripts  := $(filter-out $(ipsec_scripts),$(wildcard tests/system/test-zdev*.sh tests/system/test-zdev*.py))

# Its units, then zdev, then every published figure.
check-devices: all $(devemu_units) $(zdev_units) $(figures_units) check-docs
	@$(run) -j 2 -t 300 $(abspath $(devemu_units) $(zdev_units) $(figures_units)) $(zdev_scripts) $(ipsec_scripts)
	@$(figures)

# Packets through zdev ipsec, which take longer.
check-ipsec: all
	@$(run) -j 2 -t 300 $(ipsec_scripts)

# The same with a kernel's ESP and AH on the other side, in a guest (tests/ipsec-guest/).
check-ipsec-guest: $(O)/bin/zdev
	@$(run) -t 300 tests/ipsec-guest/test-kernel.py

# Without the units and documents, which check-units and check-docs look at.
check-zdev: all
	@$(run) -j 2 -t 300 $(zdev_scripts)
	@$(figures)

ZDEVDIR ?= $(PREFIX)/share/zdev

# Scenarios to start from, and those that zdev check runs, too.
device_scenarios := $(wildcard zdev/scenarios/*.zdev)

install-zdev: devices
	install -d $(DESTDIR)$(BINDIR)
	install -m 755 $(device_programs) $(DESTDIR)$(BINDIR)
	install -d $(DESTDIR)$(ZDEVDIR)/scenarios
	install -m 644 $(device_scenarios) $(DESTDIR)$(ZDEVDIR)/scenarios
	install -m 644 zdev/published.tsv $(figures_table) $(DESTDIR)$(ZDEVDIR)
	install -d $(DESTDIR)$(ZDEVDIR)/examples
	install -m 644 zdev/examples/* $(DESTDIR)$(ZDEVDIR)/examples
	install -D -m 644 completion/zdev.bash $(DESTDIR)$(BASHDIR)/zdev
	install -D -m 644 completion/zdev.zsh $(DESTDIR)$(ZSHDIR)/_zdev
	install -D -m 644 completion/zdev.fish $(DESTDIR)$(FISHDIR)/zdev.fish
	$(foreach m,$(device_pages),install -D -m 644 $(m) $(DESTDIR)$(MANDIR)/man$(patsubst .%,%,$(suffix $(m)))/$(notdir $(m)) &&) true
