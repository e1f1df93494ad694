/* SPDX-License-Identifier: Apache-2.0 */
/* places.c - where files and sockets of both sides live */
#include "lfp/places.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789$#@_"
#define VMID_LETTERS NAME_LETTERS "+-:"

static int __attribute__((format(printf, 2, 3)))
put(char buf[static LFP_PLACE_MAX], const char *fmt, ...)
{
	va_list ap;
	int rc;

	va_start(ap, fmt);
	rc = vsnprintf(buf, LFP_PLACE_MAX, fmt, ap);
	va_end(ap);
	if (rc < 0)
		return -EINVAL;
	return rc < LFP_PLACE_MAX ? 0 : -ENAMETOOLONG;
}

/* The prefix of both trees: "", or LFP_ROOT without a slash at its end, made absolute because
 * daemons change their directory. Returns 1 if a user without root has none. */
static int get_root(char buf[static LFP_PLACE_MAX])
{
	const char *root = getenv("LFP_ROOT");
	char cwd[LFP_PLACE_MAX];
	size_t len;
	int rc;

	buf[0] = '\0';
	if (!root || !*root)
		return geteuid() == 0 ? 0 : 1;
	if (*root == '/')
		rc = put(buf, "%s", root);
	else if (!getcwd(cwd, sizeof(cwd)))
		return errno == ERANGE ? -ENAMETOOLONG : -errno;
	else
		rc = put(buf, "%s/%s", cwd, root);
	if (rc < 0)
		return rc;
	for (len = strlen(buf); len && buf[len - 1] == '/'; len--)
		buf[len - 1] = '\0';
	return 0;
}

const char *lfp_root(void)
{
	static char root[LFP_PLACE_MAX];

	return get_root(root) == 1 ? "-" : root;
}

/* The directory of a user without root; it must be his alone, as /tmp is everybody's. */
static int check_own_dir(const char *path, bool private)
{
	struct stat st;

	if (lstat(path, &st) < 0)
		return -errno;
	if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid() ||
	    (private && (st.st_mode & (S_IRWXG | S_IRWXO))))
		return -EPERM;
	return 0;
}

static int user_run_dir(char buf[static LFP_PLACE_MAX])
{
	const char *xdg = getenv("XDG_RUNTIME_DIR");
	int rc;

	if (xdg && *xdg == '/') {
		rc = put(buf, "%s", xdg);
		if (!rc)
			rc = check_own_dir(buf, false);
		if (rc != -ENOENT)
			return rc;
	}
	rc = put(buf, "/tmp/vselfp-%lu", (unsigned long)geteuid());
	if (rc < 0)
		return rc;
	if (mkdir(buf, 0700) < 0 && errno != EEXIST)
		return -errno;
	return check_own_dir(buf, true);
}

int lfp_place_run_dir(char buf[static LFP_PLACE_MAX])
{
	char root[LFP_PLACE_MAX];
	int rc = get_root(root);

	if (rc < 0) {
		strcpy(buf, root);
		return rc;
	}
	return rc == 1 ? user_run_dir(buf) : put(buf, "%s/run", root);
}

/* The configuration of a user without root is the system's own. */
static int get_conf_root(char buf[static LFP_PLACE_MAX])
{
	int rc = get_root(buf);

	return rc < 0 ? rc : 0;
}

int lfp_place_conf_dir(char buf[static LFP_PLACE_MAX], const char *which)
{
	char root[LFP_PLACE_MAX];
	int rc = get_conf_root(root);

	return rc < 0 ? rc : put(buf, "%s/etc/opt/ibm/vselfpd/confs-%s", root, which);
}

int lfp_place_conf(char buf[static LFP_PLACE_MAX], const char *which, const char *name)
{
	char root[LFP_PLACE_MAX];
	int rc = lfp_check_name(name);

	if (!rc)
		rc = get_conf_root(root);
	if (rc < 0)
		return rc;
	return put(buf, "%s/etc/opt/ibm/vselfpd/confs-%s/lfpd-%s.conf", root, which, name);
}

int lfp_place_vse_conf(char buf[static LFP_PLACE_MAX], const char *nn)
{
	char root[LFP_PLACE_MAX];
	int rc = lfp_check_nn(nn);

	if (!rc)
		rc = get_conf_root(root);
	return rc < 0 ? rc : put(buf, "%s/etc/vselfp/lfp-%s.conf", root, nn);
}

int lfp_place_vm_directory(char buf[static LFP_PLACE_MAX])
{
	char root[LFP_PLACE_MAX];
	int rc = get_conf_root(root);

	return rc < 0 ? rc : put(buf, "%s/etc/vselfp/vm-directory", root);
}

int lfp_place_edctcpmc(char buf[static LFP_PLACE_MAX])
{
	char root[LFP_PLACE_MAX];
	int rc = get_conf_root(root);

	return rc < 0 ? rc : put(buf, "%s/etc/vselfp/edctcpmc", root);
}

int lfp_place_mux(char buf[static LFP_PLACE_MAX])
{
	char root[LFP_PLACE_MAX];
	int rc = get_conf_root(root);

	return rc < 0 ? rc : put(buf, "%s/etc/vselfp/mux.conf", root);
}

int lfp_place_member(char buf[static LFP_PLACE_MAX], const char *lib, const char *sublib,
		     const char *member)
{
	char root[LFP_PLACE_MAX];
	int rc = get_conf_root(root);

	return rc < 0 ? rc : put(buf, "%s/etc/vselfp/libr/%s/%s/%s", root, lib, sublib, member);
}

int lfp_place_console(char buf[static LFP_PLACE_MAX])
{
	char run[LFP_PLACE_MAX];
	int rc = lfp_place_run_dir(run);

	return rc < 0 ? rc : put(buf, "%s/vselfp/console", run);
}

int lfp_place_lfpd(char buf[static LFP_PLACE_MAX], const char *name, const char *file)
{
	char run[LFP_PLACE_MAX] = "";
	int rc = lfp_check_name(name);

	if (!rc)
		rc = lfp_place_run_dir(run);
	if (!rc)
		return put(buf, "%s/vselfpd/%s/%s", run, name, file);
	strcpy(buf, run);
	return rc;
}

int lfp_place_find_lfpd(char buf[static LFP_PLACE_MAX], const char *name, const char *file)
{
	char root[LFP_PLACE_MAX], system[LFP_PLACE_MAX];
	int rc = lfp_place_lfpd(buf, name, file);

	if (rc || get_root(root) != 1 || !access(buf, F_OK))
		return rc;
	if (!put(system, "/run/vselfpd/%s/%s", name, file) && !access(system, F_OK))
		strcpy(buf, system);
	return 0;
}

int lfp_place_vse(char buf[static LFP_PLACE_MAX], const char *nn, const char *file)
{
	char run[LFP_PLACE_MAX] = "";
	int rc = lfp_check_nn(nn);

	if (!rc)
		rc = lfp_place_run_dir(run);
	if (!rc)
		return put(buf, "%s/vselfp/%s/%s", run, nn, file);
	strcpy(buf, run);
	return rc;
}

int lfp_place_vm(char buf[static LFP_PLACE_MAX], const char *vmid, unsigned int nr)
{
	char run[LFP_PLACE_MAX];
	int rc = lfp_check_vmid(vmid);

	if (!rc)
		rc = lfp_place_run_dir(run);
	return rc < 0 ? rc : put(buf, "%s/vselfp/vm/%s/%u", run, vmid, nr);
}

const char *lfp_place_strerror(int error)
{
	return error == -ENAMETOOLONG
		       ? "the path is too long: a socket's path has at most 107 bytes"
		       : strerror(-error);
}

int lfp_place_make_parent(const char *path)
{
	char dir[LFP_PLACE_MAX];
	int rc = put(dir, "%s", path);
	struct stat st;
	char *p;

	if (rc < 0)
		return rc;
	for (p = strchr(dir + (*dir == '/'), '/'); p; p = strchr(p + 1, '/')) {
		*p = '\0';
		if (!mkdir(dir, 0755)) {
			/* The umask of a daemon must not lock out the other users' programs. */
			if (chmod(dir, 0755) < 0)
				return -errno;
		} else if (errno != EEXIST) {
			/* Every directory on the way exists but may not be ours to write: EROFS and
			 * EACCES come before EEXIST on some file systems. */
			rc = -errno;
			if (stat(dir, &st) < 0)
				return rc;
			if (!S_ISDIR(st.st_mode))
				return -ENOTDIR;
		}
		*p = '/';
	}
	return 0;
}

int lfp_unix_addr(struct sockaddr_un *addr, const char *path)
{
	size_t len = strlen(path);

	if (len >= sizeof(addr->sun_path))
		return -ENAMETOOLONG;
	memset(addr, 0, sizeof(*addr));
	addr->sun_family = AF_UNIX;
	memcpy(addr->sun_path, path, len);
	return 0;
}

static int check_letters(const char *name, const char *letters)
{
	size_t len = strlen(name);

	return len >= 1 && len <= 8 && strspn(name, letters) == len ? 0 : -EINVAL;
}

int lfp_check_name(const char *name)
{
	return check_letters(name, NAME_LETTERS);
}

int lfp_check_vmid(const char *vmid)
{
	return check_letters(vmid, VMID_LETTERS);
}

int lfp_check_nn(const char *nn)
{
	return strlen(nn) == 2 && strspn(nn, "0123456789") == 2 ? 0 : -EINVAL;
}

static char to_upper(char c)
{
	return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

int lfp_vmid(char out[static 9], const char *arg)
{
	char host[256];
	size_t len = 0;
	const char *p;

	if (!arg || !*arg)
		arg = getenv("LFP_VMID");
	if (arg && *arg) {
		len = strlen(arg);
		if (len > 8)
			return -EINVAL;
		for (size_t i = 0; i <= len; i++)
			out[i] = to_upper(arg[i]);
		return lfp_check_vmid(out);
	}

	if (gethostname(host, sizeof(host)) < 0)
		return -errno;
	host[sizeof(host) - 1] = '\0';
	for (p = host; *p && *p != '.' && len < 8; p++) {
		char c = to_upper(*p);

		if (strchr(VMID_LETTERS, c))
			out[len++] = c;
	}
	if (!len) {
		memcpy(out, "LINUX", 5);
		len = 5;
	}
	out[len] = '\0';
	return 0;
}
