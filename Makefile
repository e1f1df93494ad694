# SPDX-License-Identifier: Apache-2.0
# vselfpd: docs/HACKING.md says how the tree is laid out.
#
# Files are found by their place; a new source, test, benchmark, fuzz target, man page or sample
# needs no line here.
#
#   make                          everything          make check         unit tests and the documents
#   make O=DIR                    build in DIR        make check-system  real daemons
#   make SAN=address,undefined    or SAN=thread       make check-all     all there is (./check --all)
#   make COV=1  CC=clang  V=1                         make install DESTDIR=DIR PREFIX=/usr
#   make stack, make install-stack   a TCP/IP stack of its own for programs (needs Go)
#   make install-workload            the measurements of IBM's papers as programs (run with Python); part of "make install"
#   make install-vseasm              the assembler for programs of z/VSE (runs with Python, and GNU as for s390x)
#   make site                     the documentation as a site, in $(O)/site
#   make rpm, make deb, make packages                 in $(O)/package; TARBALL=FILE to pack that source, CROSS=s390x for
#                                                     another machine, with Debian's compiler and libraries for it
#   make release RELEASE_KEY=ID                       in $(O)/release: the source, all packages, their sums and parts, signed

# The only place of both. A second revision of a version differs in its packages alone. docs/versions.md has the rules.
VERSION := 1.0.0
REVISION := 1
# The commit whose packages tests/soak/test-upgrade.sh replaces by those of this tree.
PREVIOUS_RELEASE := 3b578fea0da02e668eaf498af354506de897e257

O          ?= build
PREFIX     ?= /usr/local
BINDIR     ?= $(PREFIX)/bin
SBINDIR    ?= $(PREFIX)/sbin
LIBDIR     ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include/vsesock
MANDIR     ?= $(PREFIX)/share/man
UNITDIR    ?= $(PREFIX)/lib/systemd/system
SYSUSERSDIR ?= $(PREFIX)/lib/sysusers.d
TMPFILESDIR ?= $(PREFIX)/lib/tmpfiles.d
SYSCONFDIR ?= /etc
DATADIR    ?= $(PREFIX)/share/vselfpd
WIRESHARKDIR ?= $(LIBDIR)/wireshark/plugins
BASHDIR      ?= $(PREFIX)/share/bash-completion/completions
ZSHDIR       ?= $(PREFIX)/share/zsh/site-functions
FISHDIR      ?= $(PREFIX)/share/fish/vendor_completions.d
FUZZ_SECONDS ?= 60
RUNFLAGS   ?=

MAKEFLAGS += --no-builtin-rules
.DELETE_ON_ERROR:
.SECONDARY:
.DEFAULT_GOAL := all

ifeq ($(origin CC),default)
CC := gcc
endif
FUZZ_CC ?= clang
PKG_CONFIG ?= pkg-config
CFLAGS  ?= -O2 -g
Q   := $(if $(V),,@)
say  = @printf '  %-7s %s\n' $(1) '$(2)'

WARN := -Wall -Wextra -Wshadow -Wconversion -Wsign-conversion -Wstrict-prototypes \
	-Wmissing-prototypes -Wvla -Wpointer-arith -Wwrite-strings -Werror

# Apart from the rest, because sanitizers and coverage do not go with them.
FORTIFY   := -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
HARDEN    := -fstack-protector-strong -fstack-clash-protection
HARDEN_LD := -Wl,-z,relro -Wl,-z,now
DEFS_LD   := -Wl,-z,defs
ifneq ($(SAN),)
INSTRUMENT := -O1 -fno-omit-frame-pointer -fsanitize=$(SAN) -fno-sanitize-recover=all
export ASAN_OPTIONS  ?= detect_leaks=1:strict_string_checks=1:detect_stack_use_after_return=1
export UBSAN_OPTIONS ?= print_stacktrace=1
export TSAN_OPTIONS  ?= halt_on_error=1:second_deadlock_stack=1
endif
ifneq ($(COV),)
INSTRUMENT += -O0 --coverage -fprofile-update=atomic
endif
ifneq ($(INSTRUMENT),)
FORTIFY   := -U_FORTIFY_SOURCE
HARDEN    :=
HARDEN_LD :=
DEFS_LD   :=
endif

# _GNU_SOURCE is defined empty, so that a file that defines it too is not in conflict.
CPPFLAGS_all = -I. -D_GNU_SOURCE= -DVSELFPD_VERSION=\"$(VERSION)\" -DVSELFPD_SBINDIR=\"$(SBINDIR)\" \
	-DVSELFPD_LIBDIR=\"$(LIBDIR)\" -DVSELFPD_DATADIR=\"$(DATADIR)\" -isystem /usr/include/iniparser $(pkg_cflags) $(CPPFLAGS)
CFLAGS_all   = -std=gnu11 $(WARN) $(CFLAGS) $(INSTRUMENT) $(HARDEN) -ffile-prefix-map=$(CURDIR)=. -pthread
LDFLAGS_all  = $(HARDEN_LD) $(LDFLAGS)

goals := $(or $(MAKECMDGOALS),all)
ifneq ($(filter-out clean site check-site dist rpm deb packages ijblfplx demo stack check-stack install-stack release release-files check-all check-fresh check-rpm check-deb check-packages,$(goals)),)
pkgs := libuv libcap libsystemd libidn2 libseccomp jansson ncursesw $(if $(filter-out sockets install-sockets,$(goals)),libssl libcrypto)
ifneq ($(shell $(PKG_CONFIG) --exists $(pkgs) && echo there),there)
$(error libraries are missing: apt-get install $(shell scripts/packages list build))
endif
ifneq ($(findstring check,$(goals))$(findstring test,$(goals)),)
ifneq ($(shell $(PKG_CONFIG) --exists cmocka && echo there),there)
$(error cmocka is missing: apt-get install $(shell scripts/packages list test))
endif
endif
# ncursesw's flags choose feature macros, which CPPFLAGS_all has chosen.
pkg_cflags   := $(shell $(PKG_CONFIG) --cflags $(filter-out ncursesw,$(pkgs)))
uv_libs      := $(shell $(PKG_CONFIG) --libs libuv)
systemd_libs := $(shell $(PKG_CONFIG) --libs libuv libsystemd)
daemon_libs  := $(shell $(PKG_CONFIG) --libs libuv libcap libsystemd libidn2 libseccomp) -liniparser -lresolv
cap_libs     := $(shell $(PKG_CONFIG) --libs libcap)
jansson_libs := $(shell $(PKG_CONFIG) --libs jansson) -lm
ncurses_libs := $(shell $(PKG_CONFIG) --libs ncursesw)
crypto_libs  := -Wl,--as-needed $(shell $(PKG_CONFIG) --libs libssl libcrypto)
endif

# A room is a folder. ROOM/main.c or ROOM/PROGRAM.c is its program, all else in it goes into
# $(O)/lib/libROOM.a, with which tests/ROOM/test-*.c are linked (and every other tests/ROOM/*.c).
# In the order of the arrows: a room comes after those that it uses.

rooms := lfp json systemd devemu/qdio transport lfpd ijblfp lfpd-ctl lfpd-admin via lfp-via lfp-run vsejob libvsesock devemu figures zdev

devemu/qdio_uses := lfp
json_uses       := lfp
systemd_uses    := lfp
transport_uses  := devemu/qdio lfp
lfpd_uses       := transport systemd devemu/qdio lfp
ijblfp_uses     := transport systemd devemu/qdio lfp
lfpd-ctl_uses   := transport devemu/qdio lfp
lfpd-admin_uses := json lfp
via_uses        := transport devemu/qdio lfp
lfp-via_uses    := via transport devemu/qdio lfp
lfp-run_uses    := lfp
vsejob_uses     := lfp
libvsesock_uses := lfp
devemu_uses     := devemu/qdio json lfp
figures_uses    := devemu devemu/qdio json lfp
zdev_uses       := figures devemu devemu/qdio json lfp

# A room whose sources lie in folders of their own. Those of the z/VSE interfaces go into libvsesock.so.1
# together with the shim's.
vse_folders        := libvsesock/vse/ libvsesock/lec/ libvsesock/eza/ libvsesock/ezasmi/ libvsesock/csi/ libvsesock/asm/
ijblfp_folders     := $(wildcard ijblfp/*/)
lfpd_folders       := $(wildcard lfpd/*/)
devemu_folders     := $(filter-out devemu/qdio/,$(wildcard devemu/*/))
libvsesock_folders := libvsesock/core/ libvsesock/mux/ libvsesock/strict/ $(vse_folders)

json_libs      := $(jansson_libs)
transport_libs := $(uv_libs)
lfpd_libs      := $(daemon_libs)
ijblfp_libs    := $(uv_libs) $(systemd_libs)
lfpd-ctl_libs  := $(uv_libs)
lfpd-admin_libs := $(jansson_libs) $(ncurses_libs)
via_libs       := $(cap_libs)
devemu_libs    := -lm $(jansson_libs) $(crypto_libs)
figures_libs   := -lm $(jansson_libs) $(crypto_libs)
zdev_libs      := -lm $(jansson_libs) $(crypto_libs)

lfpd_prog       := lfpd
ijblfp_prog     := ijblfpop
lfpd-ctl_prog   := lfpd-ctl
lfpd-admin_prog := lfpd-admin
via_prog        := via-init
lfp-via_prog    := lfp-via
lfp-run_prog    := lfp-run
vsejob_prog     := vsejob
zdev_prog       := zdev

objects = $(patsubst %.c,$(O)/obj/%.o,$(1))

# The shim's objects are linked into lfp-run too: its supervisor makes the calls of programs as the
# shim does. Not as an archive: they must come before libc's functions of the same names.
shim_src      := $(wildcard libvsesock/core/*.c libvsesock/mux/*.c libvsesock/strict/*.c libvsesock/preload/*.c)
# Files for the shim only: programs call its functions themselves.
shim_only     := $(wildcard libvsesock/strict/shim/*.c)
lfp-run_extra := $(call objects,$(shim_src))

# With this object a wrong change of a state aborts: in unit tests, and in programs with sanitizers.
asserting      := $(call objects,tests/assert-states.c)
prog_asserting := $(if $(SAN),$(asserting))

# With this object a process that ends by _exit() has its lines counted, too.
lfp_counting := $(if $(COV),$(call objects,tests/coverage/dump.c))

# lfpd can host the LFP instance (ijblfp/hosted.h).
lfpd_parts := $(O)/lib/libijblfp.a

# Fails where two objects of one program or library define the same name.
NM ?= nm
one_definition = NM='$(NM)' tests/one-definition $(filter %.o %.a,$^)

# They print parts of documents; see "make docs".
table_src := $(wildcard lfp/protocol-table.c)
keys_src  := $(wildcard lfpd/conf/config-list.c)
macros_src := $(wildcard libvsesock/asm/macro-list.c)

# Under $(O)/obj/ROOM the objects, of which those of lfp and libvsesock also go into the shim.
define room_rules
$(1)_main := $$(firstword $$(wildcard $(1)/main.c $(1)/$$($(1)_prog).c))
$(1)_src  := $$(filter-out $$($(1)_main) $(table_src) $(keys_src) $(macros_src),$$(wildcard $(1)/*.c $$(addsuffix *.c,$$($(1)_folders))))
$(1)_lib  := $$(if $$($(1)_src),$(O)/lib/lib$(subst /,-,$(1)).a)
$(1)_link := $$($(1)_extra) $$($(1)_lib) $$(foreach r,$$($(1)_uses),$$($$(r)_lib))
$(O)/lib/lib$(subst /,-,$(1)).a: $$(call objects,$$($(1)_src)) $$($(1)_counting) $(O)/.sources

ifneq ($$($(1)_main),)
programs += $(O)/bin/$$($(1)_prog)
$(O)/bin/$$($(1)_prog): $$(call objects,$$($(1)_main)) $(prog_asserting) $$($(1)_parts) $$($(1)_link)
$(O)/bin/$$($(1)_prog): LIBS := $$($(1)_libs)
endif

$(1)_tests   := $$(wildcard tests/$(1)/test-*.c)
$(1)_helpers := $$(filter-out $$($(1)_tests),$$(wildcard tests/$(1)/*.c))
$(1)_units   := $$(patsubst %.c,$(O)/%,$$($(1)_tests))
$$($(1)_units): $(O)/%: $(O)/obj/%.o $$(call objects,$$($(1)_helpers)) $(asserting) $$($(1)_link)
$$($(1)_units): LIBS := $$($(1)_libs) -lcmocka
units   += $$($(1)_units)
sources += $$($(1)_src) $$($(1)_main) $$($(1)_tests) $$($(1)_helpers)
endef
$(foreach r,$(rooms),$(eval $(call room_rules,$(r))))
# The device emulation's own targets: zdev, its figures, its tests, what is installed of it.
include devemu/devemu.mk

# In a program of one thread the thread sanitizer finds nothing: with it, units are those that may have more.
ifeq ($(SAN),thread)
threaded   := $(addprefix tests/,lfp/test-admin.c devemu/test-qdio.c devemu/test-qdio-once.c) $(wildcard tests/devemu/test-fces*.c tests/devemu/test-engine*.c)
one_thread := $(filter-out $(threaded),$(foreach r,lfp json lfpd-ctl lfpd-admin vsejob zdev devemu figures,$($(r)_tests)))
ifneq ($(shell grep -lE 'pthread_create|uv_thread_create|uv_queue_work' $(one_thread)),)
$(error tests with threads are among those that the thread sanitizer leaves out)
endif
units := $(filter-out $(patsubst %.c,$(O)/%,$(one_thread)),$(units))
endif

# They use the same connections and files as the transport's.
$(O)/tests/ijblfp/test-passed-ends $(O)/tests/ijblfp/test-again $(O)/tests/ijblfp/test-passed-starved: \
	$(call objects,tests/transport/lingering.c tests/transport/stuck-file.c)

# The shim. Interposed functions have visibility "default" and no version: the dynamic linker does
# not bind a reference to libc's version to another version.
shim := $(if $(shim_src),$(O)/lib/libvsesock-preload.so)
$(shim): $(call objects,$(shim_src) $(shim_only)) $(lfp_lib)

# The z/VSE interfaces: the shim's objects and their own. exports.map keeps socket() and its kind inside.
vsesock_src := $(filter-out $(macros_src),$(wildcard $(addsuffix *.c,$(vse_folders))))
vsesock     := $(if $(vsesock_src),$(O)/lib/libvsesock.so.1)
$(vsesock): $(call objects,$(shim_src) $(vsesock_src)) $(lfp_lib) libvsesock/exports.map
# A COBOL program looks for a file named as what it calls.
cobol_calls   := EZASOKET EZASTRUE VSETASK EZACIC04 EZACIC05 EZACIC06 EZACIC08 EZACIC09 EZACIC14 EZACIC15
vsesock_links := $(if $(vsesock),$(patsubst %,$(O)/lib/%.so,libvsesock $(cobol_calls)))

# Programs for LE/C: they see include/lec and the library, nothing of the tree.
lec_src      := $(wildcard tests/lec/*.c examples/lec/*.c)
lec_programs := $(patsubst %.c,$(O)/%,$(lec_src))

# Programs that call EZASOKET (and play the COBOL run-time system), EZASMI or the SOCKET macro: they
# see include/ alone.
eza_programs := $(patsubst %.c,$(O)/%,$(wildcard tests/eza/*.c tests/ezasmi/*.c tests/csi/*.c examples/*.c))

# The assembler vseasm: in Python, with the words of the library's tables. Where it runs, a Python with nothing but its library
# and GNU as and ld for s390x are needed; to build it, neither.
vseasm_src := $(wildcard vseasm/*.py vseasm/runtime/*)
vseasm     := $(if $(vseasm_src),$(O)/bin/vseasm)
$(O)/vseasm/%: vseasm/%
	@install -D -m $(if $(filter %/main.py,$@),755,644) $< $@
$(O)/vseasm/macros: $(O)/tools/macro-list
	$(call say,GEN,vseasm/macros)
	@mkdir -p $(@D) && $< >$@
$(vseasm): $(vseasm_src:%=$(O)/%) $(O)/vseasm/macros
	@mkdir -p $(@D) && ln -sf ../vseasm/main.py $@

.PHONY: install-vseasm
install-vseasm: $(vseasm)
	$(foreach f,$(vseasm_src:vseasm/%=%) macros,install -D -m $(if $(filter main.py,$(f)),755,644) $(O)/vseasm/$(f) $(DESTDIR)$(DATADIR)/vseasm/$(f) &&) true
	install -d $(DESTDIR)$(BINDIR)
	ln -sf $(DATADIR)/vseasm/main.py $(DESTDIR)$(BINDIR)/vseasm
	install -D -m 644 man/vseasm.1 $(DESTDIR)$(MANDIR)/man1/vseasm.1

# The measurements of IBM's papers as programs: in Python. It looks for headers and the library as they are installed.
workload_src := $(wildcard workload/*.py workload/apps/*.py workload/programs/*)
workload     := $(if $(workload_src),$(O)/bin/lfp-workload)
$(O)/workload/%: workload/%
	@install -D -m $(if $(filter %/main.py,$@),755,644) $< $@
$(workload): $(workload_src:%=$(O)/%) | $(O)/share/zdev
	@mkdir -p $(@D) $(O)/include $(O)/share/vselfpd && ln -sfn $(CURDIR)/include $(O)/include/vsesock && \
		ln -sfn $(CURDIR)/examples $(O)/share/vselfpd/examples && ln -sf ../workload/main.py $@

.PHONY: install-workload
install-workload: $(workload)
	$(foreach f,$(workload_src:workload/%=%),install -D -m $(if $(filter main.py programs/logon,$(f)),755,644) workload/$(f) $(DESTDIR)$(DATADIR)/workload/$(f) &&) true
	install -d $(DESTDIR)$(BINDIR)
	ln -sf $(patsubst $(PREFIX)/%,../%,$(DATADIR))/workload/main.py $(DESTDIR)$(BINDIR)/lfp-workload
	install -D -m 644 man/lfp-workload.1 $(DESTDIR)$(MANDIR)/man1/lfp-workload.1

# Programs that the system tests, the application tests and the benchmarks use: one file each.
helper_src := $(wildcard tests/system/*.c tests/campaign/*.c tests/apps/*.c tests/soak/*.c tests/s390x/*.c tests/vsock/*.c tests/counts/*.c bench/*.c)
helpers    := $(patsubst %.c,$(O)/%,$(helper_src))
$(helpers): $(O)/%: $(O)/obj/%.o $(lfp_lib)
misuse_src := $(wildcard tests/system/misuse/*.c)
$(O)/tests/system/misuse: $(call objects,$(misuse_src))
# Behind them, as they need it, too.
$(O)/tests/system/misuse: LIBS := $(lfp_lib)
oracle_src := $(wildcard tests/campaign/oracle/*.c)
$(O)/tests/campaign/oracle: $(call objects,$(oracle_src))
machines_src := $(wildcard tests/campaign/machines/*.c)
$(O)/tests/campaign/machines: $(call objects,$(machines_src))
$(O)/tests/campaign/machines: LIBS := $(lfp_lib)
failing_src := $(wildcard tests/campaign/failing/*.c)
$(O)/tests/campaign/failing: $(call objects,$(failing_src) $(machines_src))
$(O)/tests/campaign/failing: LIBS := $(lfp_lib)
# Both daemons' code in one program.
model_src := $(wildcard tests/campaign/model/*.c)
$(O)/tests/campaign/model: $(call objects,$(model_src)) $(asserting) $(lfpd_lib) $(ijblfp_lib) $(transport_lib) $(devemu/qdio_lib)
$(O)/tests/campaign/model: LIBS := $(lfp_lib) $(lfpd_libs)
$(O)/tests/s390x/bridge: $(transport_lib) $(devemu/qdio_lib)
# After the transports, which need it, too.
$(O)/tests/s390x/bridge: LIBS := $(lfp_lib)
$(O)/bench/relay: LIBS := $(uv_libs)
$(O)/bench/rules-cost: $(lfpd_lib)
# After the rules, which need it, too.
$(O)/bench/rules-cost: LIBS := $(lfp_lib) $(lfpd_libs)
# The one of several files, and what the other one has of them.
lfp_bench_src := $(wildcard bench/lfp-bench/*.c)
$(O)/bench/lfp-bench: $(call objects,$(lfp_bench_src))
$(O)/bench/lfp-many: $(call objects,bench/lfp-bench/times.c)
tracer_src := $(wildcard tests/counts/tracer/*.c)
$(O)/tests/counts/count: $(call objects,$(tracer_src))
# Libraries for the daemons: they stop the clock, fail allocations, let the clock jump.
preloads := $(patsubst %.c,$(O)/%.so,$(wildcard tests/counts/clock/*.c tests/campaign/inside/*.c))
$(preloads): $(O)/%.so: $(O)/obj/%.o
$(preloads:$(O)/%.so=$(O)/obj/%.o): PIC := -fPIC -fvisibility=hidden
# It plays the COBOL run-time system, whose functions the library looks for by name.
$(O)/bench/eza-bench: LIBS = -rdynamic $(vsesock) -Wl,-rpath,$(abspath $(O)/lib)
$(O)/bench/eza-bench: $(vsesock)

# The conformance suite's topics: one file each, of which none knows the tree.
topic_src := $(wildcard tests/conformance/*.c)
topics    := $(patsubst %.c,$(O)/%,$(topic_src))
$(topics): $(O)/%: $(O)/obj/%.o

table := $(if $(table_src),$(O)/tools/protocol-table)
$(table): $(call objects,$(table_src)) $(lfp_lib)
macros := $(if $(macros_src),$(O)/tools/macro-list)
$(macros): $(call objects,$(macros_src) $(shim_src) $(vsesock_src)) $(lfp_lib)
keys := $(if $(keys_src),$(O)/tools/config-list)
$(keys): $(call objects,$(keys_src)) $(lfpd_link)
$(keys): LIBS := $(lfpd_libs)

sources += $(filter-out $(libvsesock_src),$(shim_src)) $(shim_only) $(helper_src) $(misuse_src) $(oracle_src) $(machines_src) $(failing_src) $(model_src) $(lfp_bench_src) $(tracer_src) $(wildcard tests/counts/clock/*.c tests/campaign/inside/*.c) $(topic_src) $(table_src) $(keys_src) $(macros_src) \
	tests/assert-states.c

.PHONY: all tests units helpers sockets eza
# Programs on LFP and their daemons, without the device emulation (and without OpenSSL).
sockets: $(filter-out $(device_programs),$(programs)) $(shim) $(vsesock) $(vsesock_links)
eza: $(eza_programs)
all: $(foreach r,$(rooms),$($(r)_lib)) $(programs) $(shim) $(vsesock) $(vsesock_links) $(vseasm) $(workload) $(helpers) $(preloads) $(lec_programs) $(eza_programs)
units: $(units) $(shim) $(vsesock) $(vsesock_links)
helpers: $(helpers)
tests: all units $(topics)

# Two stamps: all is built again when flags change, archives when files come or go.
ifneq ($(pkgs),)
flags := $(strip $(CC) $(CPPFLAGS_all) $(CFLAGS_all) $(FORTIFY) $(LDFLAGS_all))
$(shell mkdir -p $(O))
ifneq ($(file <$(O)/.flags),$(flags))
$(file >$(O)/.flags,$(flags))
endif
ifneq ($(file <$(O)/.sources),$(sort $(sources)))
$(file >$(O)/.sources,$(sort $(sources)))
endif
endif

$(O)/obj/%.o: PIC := -fPIE
$(O)/obj/lfp/%.o: PIC := -fPIC -fvisibility=hidden
# A shim that defines read() and its kind cannot have them as inline functions from the headers.
$(O)/obj/libvsesock/%.o: PIC := -fPIC -fvisibility=hidden -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=0

# The table of errno numbers is made from its data.
$(O)/gen/errno-map.inc: libvsesock/vse/errno-map.csv
	$(call say,GEN,$(@F))
	@mkdir -p $(@D)
	@awk -F, '/^E/ { printf "{\"%s\", {%d, %d, %d}},\n", $$1, $$2, $$4, $$5 }' $< >$@
$(O)/obj/libvsesock/vse/errno.o: $(O)/gen/errno-map.inc
$(O)/obj/libvsesock/vse/errno.o: override CPPFLAGS += -I$(O)/gen

# The names of system calls, by number.
$(O)/gen/syscalls.inc:
	$(call say,GEN,$(@F))
	@mkdir -p $(@D)
	@echo '#include <asm/unistd.h>' | $(CC) -E -dM - | awk '$$2 ~ /^__NR_[a-z0-9_]+$$/ && $$3 ~ /^[0-9]+$$/ { \
		printf "[%d] = \"%s\",\n", $$3, substr($$2, 6) }' | sort >$@
$(O)/obj/tests/counts/tracer/tally.o: $(O)/gen/syscalls.inc
$(O)/obj/tests/counts/tracer/tally.o: override CPPFLAGS += -I$(O)/gen

compile = $(CC) $(CPPFLAGS_all) $(CFLAGS_all) $(FORTIFY) $(PIC)

$(O)/obj/%.o: %.c $(O)/.flags
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(compile) -MMD -MP -c -o $@ $<

$(O)/%.a:
	$(call say,AR,$(@F))
	@mkdir -p $(@D) && rm -f $@
	$(Q)$(AR) qcs $@ $(filter %.o,$^)

# Tests of what a lack of memory does.
$(O)/tests/lfpd/test-urgent: override LDFLAGS += -Wl,--wrap=recv
$(O)/tests/lfpd/test-suspend-upstream: override LDFLAGS += -Wl,--wrap=calloc
$(O)/tests/lfpd/test-no-memory: override LDFLAGS += -Wl,--wrap=malloc
$(O)/tests/ijblfp/test-peek: override LDFLAGS += -Wl,--wrap=recv
$(O)/tests/ijblfp/test-urgent: override LDFLAGS += -Wl,--wrap=recv
$(O)/tests/ijblfp/test-no-memory: override LDFLAGS += -Wl,--wrap=calloc,--wrap=epoll_ctl,--wrap=eventfd,--wrap=setsockopt,--wrap=send,--wrap=sendmsg
$(O)/tests/ijblfp/test-again: override LDFLAGS += -Wl,--wrap=close
$(O)/tests/ijblfp/test-early: override LDFLAGS += -Wl,--wrap=calloc
$(O)/tests/ijblfp/test-posts: override LDFLAGS += -Wl,--wrap=calloc
$(O)/tests/libvsesock/test-asm: override LDFLAGS += -Wl,--wrap=calloc,--wrap=csi_make
$(O)/tests/ijblfp/test-stopper: override LDFLAGS += -Wl,--wrap=shutdown,--wrap=setsockopt

$(programs) $(units) $(helpers) $(topics) $(table) $(macros) $(keys):
	$(call say,LD,$(patsubst $(O)/%,%,$@))
	@mkdir -p $(@D)
	$(if $(filter $(programs),$@),$(Q)$(one_definition))
	$(Q)$(CC) $(CFLAGS_all) -pie $(LDFLAGS_all) -o $@ $(filter %.o %.a,$^) $(LIBS)

$(shim):
	$(call say,LD,$(@F))
	@mkdir -p $(@D)
	$(Q)$(one_definition)
	$(Q)$(CC) $(CFLAGS_all) -shared $(DEFS_LD) $(LDFLAGS_all) -o $@ $(filter %.o %.a,$^) -ldl

# It stays when a program unloads it: its thread may be there still (vse/async.h).
$(vsesock):
	$(call say,LD,$(@F))
	@mkdir -p $(@D)
	$(Q)$(one_definition)
	$(Q)$(CC) $(CFLAGS_all) -shared $(DEFS_LD) -Wl,-soname,$(@F) -Wl,--version-script=libvsesock/exports.map \
		-Wl,-z,nodelete $(LDFLAGS_all) -o $@ $(filter %.o %.a,$^) -ldl

$(preloads):
	$(call say,LD,$(@F))
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_all) -shared $(DEFS_LD) $(LDFLAGS_all) -o $@ $^

$(vsesock_links): $(vsesock)
	@ln -sf $(<F) $@

$(lec_programs): $(O)/%: %.c $(vsesock) $(wildcard include/lec/*.h include/lec/*/*.h include/*.h) tests/strict.h tests/options.h $(O)/.flags
	$(call say,LEC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) -Iinclude/lec -std=gnu11 $(WARN) $(CFLAGS) $(INSTRUMENT) -pthread -o $@ $< $(vsesock) \
		-Wl,-rpath,$(abspath $(O)/lib)

$(eza_programs): $(O)/%: %.c $(vsesock) $(wildcard tests/eza/*.h tests/ezasmi/*.h tests/csi/*.h include/*.h) tests/strict.h tests/options.h $(O)/.flags
	$(call say,EZA,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) -Iinclude -std=gnu11 $(WARN) $(CFLAGS) $(INSTRUMENT) -pthread -rdynamic -o $@ $< $(vsesock) \
		-Wl,-rpath,$(abspath $(O)/lib)

# A TCP/IP stack of its own for lfp-run, by gVisor's library. It needs Go, so it is part of neither "all" nor the packages.
GO          ?= /usr/bin/go
GO_LIBRARY  ?= /usr/share/gocode
stack_src   := $(filter-out %_test.go,$(wildcard stack/*.go))
go_settings := GOCACHE=$(abspath $(O)/go-cache) GOPATH=$(GO_LIBRARY) GO111MODULE=off GOPROXY=off GOENV=off GOFLAGS= \
	GOTOOLCHAIN=local CGO_ENABLED=0
.PHONY: stack check-stack install-stack
stack: $(O)/bin/lfp-stack
$(O)/bin/lfp-stack: $(stack_src)
	$(call say,GO,$(@F))
	@mkdir -p $(@D)
	$(Q)cd stack && $(go_settings) $(GO) build -trimpath -o $(abspath $@) .
check-stack: stack
	$(Q)cd stack && $(go_settings) $(GO) vet . && $(go_settings) $(GO) test .
install-stack: stack
	install -D -m 755 $(O)/bin/lfp-stack $(DESTDIR)$(SBINDIR)/lfp-stack

run := O=$(abspath $(O)) tests/run $(RUNFLAGS)
scripts_in = $(wildcard tests/$(1)/test-*.sh tests/$(1)/test-*.py)

.PHONY: check check-units check-docs check-system check-conformance check-campaign check-mutants check-matrix check-matrix-sample check-apps check-applications check-examples check-counts check-packages check-rpm check-deb check-systemd check-all \
	check-s390x check-vsock check-s390x-user check-arm64-user check-asm check-fresh soak failing coverage
check: all check-units check-docs

check-units: units
	@$(run) -j 2 -t 300 $(abspath $(units))

# The real daemons; the device emulation has a target of its own, check-devices. The tests mostly wait, so
# there is one more of them than processors of a small machine.
check-system: all
	@$(run) -j 3 -t 300 $(filter-out tests/system/test-zdev%,$(call scripts_in,system))

# TOPICS="flags udp" for some of it
check-conformance: all $(topics)
	@$(if $(TOPICS)$(if $(TESTS_AGAIN),,once),O=$(abspath $(O)) tests/conformance/run $(TOPICS),$(run) -t 1200 tests/conformance/run)

# Random sequences: of socket calls beside the kernel, and of the daemons' states
check-campaign: all
	@$(run) -t 600 $(call scripts_in,campaign)

# Checks that the suite detects faults. FAULTS="lfpd-unread" for some of them
check-mutants:
	@O=$(abspath $(O)) tests/mutants/run $(FAULTS)

# The same over each transport: TRANSPORTS="shm local" for some of them, MATRIX_JOBS=1 one after the other
check-matrix: all $(topics)
	@O=$(abspath $(O)) tests/matrix

check-matrix-sample: all $(topics)
	@O=$(abspath $(O)) tests/matrix --sample

# Some of them need lfp-stack. Its first build takes minutes, which are no part of a test's time.
check-apps: all $(if $(and $(wildcard $(GO)),$(wildcard $(GO_LIBRARY)/src/gvisor.dev/gvisor/pkg/tcpip)),stack)
	@$(run) -j 2 -t 300 $(call scripts_in,apps)

# The twelve applications of IBM's list, over one transport; check-apps has the same test
check-applications: all
	@$(run) -t 300 tests/apps/test-workload-applications.sh

# The recipes of examples/
check-examples: all
	@$(run) -j 2 -t 300 $(call scripts_in,examples)

# System calls an operation, over each transport: UPDATE=1 writes tests/counts/*.tsv anew
check-counts: all
	@$(run) -j 2 -t 300 $(call scripts_in,counts)

# Tests of the packages that "make packages" has made: installation, upgrade and removal; lint; a
# second build.
check-rpm:
	@$(run) -t 300 $(call scripts_in,rpm)

check-deb:
	@$(run) -t 300 $(call scripts_in,deb)

check-packages:
	@$(run) -t 300 $(call scripts_in,packages)

check-systemd: all
	@$(run) -t 300 $(call scripts_in,systemd)

# SOAK_SECONDS=1800: how long each of the mixed loads lasts. HOURS=2: how long the daemons are driven at random
soak: all
	@scripts/packages install test soak watch guest vsock apps
	$(Q)$(MAKE) O=$(O)/san-address SAN=address,undefined all
	$(Q)$(MAKE) O=$(O)/san-thread SAN=thread all
	@$(run) -t $$((SOAK_SECONDS * 2 + 3600)) $(call scripts_in,soak)

# Lines and branches that the tests reach, a table of rooms. COVERAGE="units" for some of the tests
COVERAGE ?= units system conformance campaign counts apps devices
coverage:
	@scripts/packages install coverage
	$(Q)$(MAKE) O=$(O)/coverage COV=1 all tests
	@O=$(abspath $(O))/coverage tests/coverage/run $(COVERAGE)

# Prints a table: each system call of the daemons, the supervisor and the shim, each of its errors, what happened.
# FAILING_IN=lfpd for one of them
failing: all
	@O=$(abspath $(O)) tests/soak/test-failing.sh

# Big-endian: built for s390x, the units under qemu-user, and AF_IUCV on a real kernel under QEMU.
check-s390x-user:
	@O=$(abspath $(O)) tests/cross/user s390x $(TESTS)

# The units for arm64 under qemu-user
check-arm64-user:
	@O=$(abspath $(O)) tests/cross/user arm64 $(TESTS)

# Assembler programs of z/VSE: assembled, and run on real daemons, elsewhere than on s390x by qemu-user
# Built before: the tests have a network of their own, where nothing can be fetched.
check-asm: all
	@[ "$$(uname -m)" = s390x ] || O=$(abspath $(O)) tests/cross/make s390x "$(abspath $(O))/s390x/build/lib/libvsesock.so" \
		"$(abspath $(O))/s390x/build/bin/ijblfpop" >/dev/null || [ $$? = 77 ]
	@$(run) -t 300 $(call scripts_in,asm)

# Kernel, libraries and clients are fetched first: most of the tests have a network of their own.
check-s390x: all
	@O=$(abspath $(O)) tests/s390x/initrd >$(O)/s390x-initrd.log 2>&1 || true
	@tests/cross/fetch s390x clients $(abspath $(O))/s390x || true
	@$(run) -t 600 $(call scripts_in,s390x)

# A guest without a network device, under QEMU with vhost-device-vsock, which Debian 12 does not have and cargo builds once. Kernel and device are
# fetched first: the tests have a network of their own.
check-vsock: all $(topics)
	@tests/vsock/device >/dev/null || true
	@tests/guest/kernel linux-image-cloud-amd64 $(abspath $(O))/vsock-guest/kernel || true
	@$(run) -j 2 -t 300 $(call scripts_in,vsock)

# The appliance: an image of a kernel and lfpd, and the same as an OCI image. CROSS=s390x for the other machine, VIA_DEBS=DIR to
# take lfpd from packages. It is booted where QEMU is there, for its time.
.PHONY: via check-via
via_arch := $(or $(CROSS),x86_64)
via: $(if $(CROSS),,$(O)/bin/lfpd $(O)/bin/lfpd-admin $(O)/bin/via-init $(O)/bin/lfp-via)
	@O=$(abspath $(O)) scripts/via-image $(via_arch) $(O)/via/$(via_arch)
	@O=$(abspath $(O)) tests/via/boot-time $(via_arch)

check-via: all
	@tests/vsock/device >/dev/null || true
	@[ "$$(uname -m)" != x86_64 ] || tests/guest/kernel linux-image-cloud-amd64 $(abspath $(O))/via-kernel/x86_64 || true
	@$(run) -t 300 $(call scripts_in,via)

check-all:
	@./check --all

check-fresh:
	@tests/check-fresh

# Parts of documents are printed by programs: the messages in docs/protocol.md by the one that is made
# from them, the figures in docs/devices.md and docs/workload.md by zdev check (devemu/devemu.mk).
.PHONY: docs
between = awk -v t=$(1) '/^<!-- $(2) end -->$$/ { skip = 0 } !skip { print } \
	/^<!-- $(2) begin -->$$/ { while ((getline line < t) > 0) print line; skip = 1 }' $(3)

ifneq ($(and $(table),$(wildcard docs/protocol.md)),)
documents += $(O)/protocol.md
$(O)/protocol.md: $(table) docs/protocol.md
	@$(table) >$(O)/messages.md
	@$(call between,$(O)/messages.md,messages,docs/protocol.md) >$@
endif

documents += $(O)/structure.md
.PHONY: $(O)/structure.md
$(O)/structure.md:
	@mkdir -p $(@D) && tests/structure --draw >$@

# The messages stand in the dissector and in the manual, too.
between_lines = awk -v t=$(1) -v b='$(2) begin' -v e='$(2) end' '$$0 == e { skip = 0 } !skip { print } \
	$$0 == b { while ((getline line < t) > 0) print line; skip = 1 }' $(3)

printed := $(if $(table),$(wildcard wireshark/lfp.lua man/lfp-protocol.7))
$(O)/printed/wireshark/lfp.lua: $(table) wireshark/lfp.lua
	@mkdir -p $(@D) && $(table) lua >$@.part
	@$(call between_lines,$@.part,-- messages,wireshark/lfp.lua) >$@
$(O)/printed/man/lfp-protocol.7: $(table) man/lfp-protocol.7
	@mkdir -p $(@D) && $(table) mdoc >$@.part
	@$(call between_lines,$@.part,.\\" messages,man/lfp-protocol.7) >$@

# The sample of lfpd's configuration is printed from the table of its keys.
sample := samples/lfpd-LINR02.conf
ifneq ($(keys),)
$(O)/lfpd-LINR02.conf: $(keys)
	@$(keys) sample >$@
endif

check-docs: $(documents) $(printed:%=$(O)/printed/%) $(if $(keys),$(O)/lfpd-LINR02.conf)
	@for f in $(printed); do diff -u $$f $(O)/printed/$$f || \
		{ echo "$$f is not what the code says: make docs"; exit 1; }; done
	@for d in $(notdir $(documents)); do diff -u docs/$$d $(O)/$$d || \
		{ echo "docs/$$d is not what the code says: make docs"; exit 1; }; done
	@tests/structure
	@tests/check-style
	@tests/check-names
	@tests/check-versions
	@tests/check-contributing
	@python3 bench/plots.py --check
	@python3 tests/mutants/apply.py --check tests/mutants/*.fault
	@tests/conformance/check-manual
	$(if $(keys),@diff -u $(sample) $(O)/lfpd-LINR02.conf || \
		{ echo "$(sample) is not what the code says: make docs"; exit 1; })
	$(if $(keys),@$(keys) keys | tests/check-manuals)

docs: $(documents) $(printed:%=$(O)/printed/%) $(if $(keys),$(O)/lfpd-LINR02.conf)
	@for f in $(printed); do cmp -s $(O)/printed/$$f $$f || cp $(O)/printed/$$f $$f; done
	$(if $(keys),@cmp -s $(O)/lfpd-LINR02.conf $(sample) || cp $(O)/lfpd-LINR02.conf $(sample))
	@for d in $(notdir $(documents)); do cmp -s $(O)/$$d docs/$$d || cp $(O)/$$d docs/$$d; done
	@python3 bench/plots.py

# The site, static, in $(O)/site: docs/, the examples and the manuals. It opens from a file.
.PHONY: site check-site
site:
	@missing=$$(for p in mkdocs mandoc dot; do command -v $$p >/dev/null || echo $$p; done); [ -z "$$missing" ] || \
		{ echo "make site: missing here:" $$missing "(apt-get install $$(scripts/packages list site | tr '\n' ' '))" >&2; exit 69; }
	$(call say,SITE,$(O)/site)
	@site/gather $(O)/site-source
	@mkdocs build --quiet --strict --config-file $(O)/site-source/mkdocs.yml --site-dir $(abspath $(O))/site

check-site: site
	@site/check $(O)/site

# The command lines of all pages, as root: PAGES="README.md man/lfpd.8" for some of them
.PHONY: check-walk
check-walk: all
	@O=$(abspath $(O)) tests/walk/walk $(PAGES)

# Fuzzing: objects of their own, by clang, with everything a target may want in one archive

fuzz_rooms   := lfp json systemd transport lfpd lfpd-admin ijblfp vsejob via devemu devemu/qdio figures
fuzz_src     := $(wildcard fuzz/fuzz-*.c)
fuzz_targets := $(patsubst %.c,$(O)/%,$(fuzz_src))
fuzz_asserts := $(O)/fuzzobj/tests/assert-states.o
fuzz_objs    := $(patsubst %.c,$(O)/fuzzobj/%.o,$(foreach r,$(fuzz_rooms),$($(r)_src)) $(wildcard libvsesock/mux/*.c))
FUZZ_FLAGS   := -O1 -g -fno-omit-frame-pointer -fno-sanitize-recover=all -U_FORTIFY_SOURCE

$(O)/fuzzobj/%.o: %.c $(O)/.flags
	$(call say,FUZZ-CC,$<)
	@mkdir -p $(@D)
	$(Q)$(FUZZ_CC) $(CPPFLAGS_all) -std=gnu11 $(WARN) $(FUZZ_FLAGS) \
		-fsanitize=fuzzer-no-link,address,undefined -MMD -MP -c -o $@ $<

$(O)/fuzzobj/librooms.a: $(fuzz_objs) $(O)/.sources

# Its program is driven by tests/campaign's steps.
machines_fuzz := $(patsubst %.c,$(O)/fuzzobj/%.o,$(machines_src))
$(O)/fuzz/fuzz-machines: $(machines_fuzz)

$(fuzz_targets): $(O)/fuzz/%: $(O)/fuzzobj/fuzz/%.o $(fuzz_asserts) $(O)/fuzzobj/librooms.a
	$(call say,FUZZ-LD,$(@F))
	@mkdir -p $(@D)
	$(Q)$(FUZZ_CC) $(FUZZ_FLAGS) -fsanitize=fuzzer,address,undefined -o $@ $^ $(daemon_libs) $(jansson_libs) $(crypto_libs) -lm -pthread

.PHONY: fuzz
fuzz: $(fuzz_targets)
	@O=$(abspath $(O)) fuzz/run $(FUZZ_SECONDS) $(abspath $^)

.PHONY: demo bench bench-quick
demo:
	@./demo

bench: all
	@O=$(abspath $(O)) bench/run

bench-quick: all
	@O=$(abspath $(O)) bench/run --quick

bin_programs  := $(filter %/lfp-run %/vsejob,$(programs))
# That of the appliance alone is no command.
sbin_programs := $(filter-out $(bin_programs) $(device_programs) %/via-init,$(programs))
samples       := $(wildcard samples/*)
skeletons     := $(shell find skeletons -type f)
include_files := $(shell find include -type f)
pc_files      := $(wildcard libvsesock/*.pc.in)
example_files := $(shell find examples -type f)
example_scripts := $(shell find examples -type f -perm -u+x)
man_pages     := $(filter-out $(device_pages) man/vseasm.1 man/lfp-workload.1,$(wildcard man/*.[1-8]))
units_of_systemd := $(wildcard rpm/*.service rpm/*.target)
completed     := lfpd lfpd-ctl lfpd-admin ijblfpop lfp-run lfp-via lfp-workload vsejob vselfp-course vselfp-class
confs         := $(SYSCONFDIR)/opt/ibm/vselfpd

.PHONY: programs install install-sockets dist ready unpack rpm deb packages release release-files ijblfplx clean compile_commands
programs: sockets devices

install: install-sockets install-zdev install-workload

# Everything but the device emulation.
install-sockets: sockets
	install -d $(addprefix $(DESTDIR),$(SBINDIR) $(BINDIR) $(LIBDIR) $(UNITDIR) \
		$(confs)/confs-available $(confs)/confs-enabled $(SYSCONFDIR)/vselfp)
	$(if $(sbin_programs),install -m 755 $(sbin_programs) $(DESTDIR)$(SBINDIR))
	$(if $(bin_programs),install -m 755 $(bin_programs) $(DESTDIR)$(BINDIR))
	install -m 755 course/vselfp-course course/vselfp-class $(DESTDIR)$(BINDIR)
	$(if $(shim),install -m 755 $(shim) $(DESTDIR)$(LIBDIR))
	$(if $(vsesock),install -m 755 $(vsesock) $(DESTDIR)$(LIBDIR))
	$(foreach l,$(notdir $(vsesock_links)),ln -sf $(notdir $(vsesock)) $(DESTDIR)$(LIBDIR)/$(l) &&) true
	install -d $(DESTDIR)$(LIBDIR)/pkgconfig
	$(foreach f,$(pc_files),sed 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(LIBDIR)|; s|@INCLUDEDIR@|$(INCLUDEDIR)|; s|@VERSION@|$(VERSION)|' \
		$(f) >$(DESTDIR)$(LIBDIR)/pkgconfig/$(notdir $(f:.in=)) &&) true
	$(foreach f,$(include_files),install -D -m 644 $(f) $(DESTDIR)$(INCLUDEDIR)/$(f:include/%=%) &&) true
	$(foreach f,$(example_files),install -D -m $(if $(filter $(f),$(example_scripts)),755,644) $(f) $(DESTDIR)$(DATADIR)/$(f) &&) true
	$(foreach f,$(samples),install -D -m 644 $(f) $(DESTDIR)$(DATADIR)/$(f) &&) true
	$(foreach f,$(skeletons),install -D -m 644 $(f) $(DESTDIR)$(DATADIR)/$(f) &&) true
	install -D -m 644 wireshark/lfp.lua $(DESTDIR)$(WIRESHARKDIR)/lfp.lua
	$(foreach u,$(units_of_systemd),sed 's|/usr/sbin/|$(SBINDIR)/|' $(u) >$(DESTDIR)$(UNITDIR)/$(notdir $(u)) &&) true
	$(foreach f,$(wildcard rpm/*.sysusers),install -D -m 644 $(f) $(DESTDIR)$(SYSUSERSDIR)/$(notdir $(f:.sysusers=.conf)) &&) true
	$(foreach f,$(wildcard rpm/*.tmpfiles),install -D -m 644 $(f) $(DESTDIR)$(TMPFILESDIR)/$(notdir $(f:.tmpfiles=.conf)) &&) true
	install -D -m 755 rpm/lfpd.init $(DESTDIR)$(DATADIR)/lfpd.init
	install -D -m 644 completion/lfp.bash $(DESTDIR)$(BASHDIR)/lfpd
	$(foreach p,$(filter-out lfpd,$(completed)),ln -sf lfpd $(DESTDIR)$(BASHDIR)/$(p) &&) true
	install -D -m 644 completion/lfp.zsh $(DESTDIR)$(ZSHDIR)/_lfp
	install -D -m 644 completion/lfp.fish $(DESTDIR)$(FISHDIR)/lfpd.fish
	$(foreach p,$(filter-out lfpd,$(completed)),ln -sf lfpd.fish $(DESTDIR)$(FISHDIR)/$(p).fish &&) true
	$(foreach m,$(man_pages),install -D -m 644 $(m) $(DESTDIR)$(MANDIR)/man$(patsubst .%,%,$(suffix $(m)))/$(notdir $(m)) &&) true

# All files that git knows or would add, from the working tree, in a fixed order and with fixed
# times.
tarball := $(O)/vselfpd-$(VERSION).tar.gz
dist: | ready
	@mkdir -p $(O)
	$(call say,TAR,$(notdir $(tarball)))
	@git ls-files -z --cached --others --exclude-standard | \
		xargs -0 sh -c 'for f; do if [ -e "$$f" ] || [ -L "$$f" ]; then printf "%s\0" "$$f"; fi; done' sh | \
		tar --create --null --files-from=- --sort=name --owner=0 --group=0 --numeric-owner \
		--mode=u+rw,go=rX --mtime=@$$(git log -1 --format=%ct 2>/dev/null || echo 0) \
		--transform='flags=rhS;s|^|vselfpd-$(VERSION)/|' --file=$(tarball:.gz=)
	@gzip -nf $(tarball:.gz=)

# Both kinds of packages come from one unpacked tarball, where both find what the other has compiled. Nothing
# in them may depend on when, where, by whom and under what umask they are made.
TARBALL  ?= $(tarball)
packing   = $(abspath $(O))/package
unpacked  = $(packing)/vselfpd-$(VERSION)
# Nor on the variables of this make.
apart     = umask 022 && cd $(unpacked) && env -i PATH="$$PATH" HOME="$$HOME" LC_ALL=C TZ=UTC \
	SOURCE_DATE_EPOCH=$$(stat -c %Y $(unpacked)/Makefile)
log_of    = >$(abspath $(O))/$(1).log 2>&1 || { cat $(abspath $(O))/$(1).log; exit 1; }

# Of another machine; CROSS is Debian's name for it.
cross_gnu  = $(shell dpkg-architecture -f -a $(CROSS) -q DEB_HOST_GNU_TYPE 2>/dev/null)
cross_needs = $(foreach name,$(filter-out gcc libc6-dev make,$(shell scripts/packages list build)),$(name):$(CROSS))
cross_deb  = $(if $(CROSS),-a $(CROSS))
cross_rpm  = $(if $(CROSS),--target $(firstword $(subst -, ,$(cross_gnu)))-linux --define 'vselfpd_cross $(cross_gnu)')

# Each kind of packages replaces its own results only. The .debs have their version from here.
maintainer := The vselfpd developers <vselfpd@example.org>
unpack: ready $(if $(filter $(origin TARBALL),file),dist)
	@rm -rf $(unpacked) && mkdir -p $(packing) && umask 022 && tar -C $(packing) -xzf $(TARBALL) --no-same-owner
	@mkdir -p $(unpacked)/debian && { printf '%s\n\n' 'vselfpd ($(VERSION)+$(REVISION)) unstable; urgency=medium' '  * CHANGELOG.md has the changes.'; \
		LC_ALL=C date -u -d @$$(stat -c %Y $(unpacked)/Makefile) '+ -- $(maintainer)  %a, %d %b %Y %T %z'; } >$(unpacked)/debian/changelog

# What is missing for them, on a system with dpkg. Others find it by the specification's BuildRequires.
kinds := $(sort $(filter rpm deb,$(goals)) $(if $(filter packages release release-files,$(goals)),rpm deb) $(if $(filter ijblfplx,$(goals)),rpm))
ready:
	$(if $(if $(CROSS),,$(kinds)),@names=$$(! command -v dpkg-query >/dev/null || scripts/packages missing build $(kinds)) && \
		{ [ -z "$$names" ] || { echo 'make $(goals): missing here: apt-get update && apt-get install --no-install-recommends' \
		$$names >&2; exit 69; }; })
	$(if $(and $(CROSS),$(kinds)),@command -v $(cross_gnu)-gcc >/dev/null && command -v $(cross_gnu)-pkg-config >/dev/null || \
		{ echo 'make $(goals): missing here: dpkg --add-architecture $(CROSS) && apt-get update && apt-get install --no-install-recommends' \
		crossbuild-essential-$(CROSS) $(cross_needs) >&2; exit 69; })

rpm: unpack
	@rm -rf $(packing)/rpm && find $(packing) -maxdepth 2 -name '*.rpm' -delete
	$(call say,RPM,rpm/lfpd.spec)
	$(Q)$(apart) rpmbuild --build-in-place -bb --quiet \
		--define '_topdir $(packing)/rpm' --define 'vselfpd_version $(VERSION)' --define 'vselfpd_revision $(REVISION)' --define '_buildhost localhost' \
		--define 'use_source_date_epoch_as_buildtime 1' --define 'clamp_mtime_to_source_date_epoch 1' \
		--define '_rpmdir $(packing)' --define '_smp_mflags -j$(shell nproc)' $(cross_rpm) $(RPMFLAGS) \
		rpm/lfpd.spec $(call log_of,rpm)
	@find $(packing) -maxdepth 2 -name '*.rpm' -printf '  RPM     %f\n' | sort

# Never both at once in one directory.
deb: unpack $(if $(filter rpm packages release-files,$(goals)),rpm)
	@find $(packing) -maxdepth 1 '(' -name '*.deb' -o -name '*.changes' -o -name '*.buildinfo' ')' -delete
	$(call say,DEB,debian/)
	$(Q)$(apart) DEB_BUILD_OPTIONS='nocheck parallel=$(shell nproc)' \
		dpkg-buildpackage -us -uc -b -nc $(cross_deb) $(DEBFLAGS) $(call log_of,deb)
	@find $(packing) -maxdepth 1 -name '*.deb' -printf '  DEB     %f\n' | sort

packages: rpm deb

# What a release consists of. The same commit gives the same bytes; its signature has the time. RELEASE_KEY: the key of gpg that
# signs.
release-files: packages
	$(call say,FILES,release)
	@SOURCE_DATE_EPOCH=$$(stat -c %Y $(unpacked)/Makefile) scripts/release files $(VERSION) $(abspath $(O))/release $(TARBALL) \
		$$(find $(packing) -maxdepth 2 '(' -name '*.deb' -o -name '*.rpm' ')' | LC_ALL=C sort)

release:
	@scripts/release ready $(VERSION) '$(RELEASE_KEY)'
	@$(MAKE) --no-print-directory release-files
	@scripts/release sign $(abspath $(O))/release '$(RELEASE_KEY)'

# The ZIP that IBM delivers, with the RPM of lfpd alone.
ijblfplx: rpm
	$(call say,ZIP,IJBLFPLX.W)
	@scripts/ijblfplx $(packing)/IJBLFPLX.W \
		$$(find $(packing) -maxdepth 2 -name 'lfpd-[0-9]*.rpm' ! -name '*.src.rpm')

clean:
	rm -rf $(O)

json = $(subst ",\",$(subst \,\\,$(1)))
comma := ,
compile_commands:
	$(file >compile_commands.json,[)
	$(foreach s,$(sources),$(file >>compile_commands.json,{"directory": "$(CURDIR)"$(comma) \
		"file": "$(s)"$(comma) "command": "$(call json,$(compile) -c $(s))"}$(comma)))
	$(file >>compile_commands.json,{"directory": "$(CURDIR)"$(comma) "file": "Makefile"$(comma) "command": "true"}])
	@echo '  JSON    compile_commands.json'

ifneq ($(pkgs),)
-include $(patsubst %.c,$(O)/obj/%.d,$(sources)) $(patsubst %.o,%.d,$(fuzz_objs)) \
	$(fuzz_asserts:.o=.d) $(machines_fuzz:.o=.d) $(patsubst %.c,$(O)/fuzzobj/%.d,$(fuzz_src))
endif
