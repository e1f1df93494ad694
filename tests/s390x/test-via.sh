#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Time limit: 2400 s
# The appliance on a real kernel for s390x, under QEMU: its files beside two z/VSEs in a guest, over both transports of
# AF_IUCV (tests/s390x/guest/via), with clients of Debian's that reach servers on this machine through it.
. "$(dirname "$0")/../system/lib.sh"
needs python3
for dir in /usr/lib/postgresql/*/bin; do PATH=$PATH:$dir; done
image=$O/via/s390x here=$O/s390x machine=s390x-linux-gnu

"$top/tests/s390x/initrd" >"$O/s390x-initrd.log" 2>&1
rc=$?
[ $rc != 77 ] || skip "$(tail -n 1 "$O/s390x-initrd.log")"
[ $rc = 0 ] || die "$(tail -n 3 "$O/s390x-initrd.log")"
"$top/scripts/via-image" s390x "$image" >"$O/s390x-via.log" 2>&1 || skip "no image: $(tail -n 1 "$O/s390x-via.log")"
tail -n 1 "$O/s390x-via.log"
again() { "$top/scripts/via-image" s390x "$work/again" >/dev/null 2>&1 && diff -r "$image" "$work/again"; }
check "an image that is made twice is the same" again

# The files of the OCI image, behind those that all guests have.
root=$work/root
mkdir -p "$root/via" "$root/bin" "$root/lib/$machine" "$root/apps"
tar -C "$root/via" -xf "$(find "$image/oci/blobs/sha256" -type f -size +1M)" || die "the OCI image has no files"
chmod u+w "$root/via"

# The clients: curl, psql, and a COBOL program that their machine's compiler has made into C.
why=$("$top/tests/cross/fetch" s390x clients "$here") || skip "$(tail -n 1 <<<"$why")"
clients=$here/clients libs=$here/clients/usr/lib/$machine
needs qemu-s390x-static
cp "$clients/usr/bin/curl" "$root/apps/" && cp "$clients"/usr/lib/postgresql/*/bin/psql "$root/apps/" || die "curl or psql is missing"
compile() {
	(cd "$work" && COB_CONFIG_DIR=$clients/etc/gnucobol COB_COPY_DIR=$clients/usr/share/gnucobol/copy qemu-s390x-static -L "$clients" \
		"$clients/usr/bin/cobc" -C -x -o echo-client.c "$top/examples/cobol/echo-client.cbl") &&
		$machine-gcc -I"$clients/usr/include" -I"$clients/usr/include/$machine" -O1 -o "$root/apps/echo-client" "$work/echo-client.c" \
			-L"$libs" -lcob -Wl,-rpath-link,"$libs:$clients/lib/$machine"
}
check "a COBOL client is compiled" into "$work/cobc.log" compile || cat "$work/cobc.log"
cp "$here/build/lib/libvsesock.so.1" "$root/apps/" || die "there is no libvsesock.so"
while :; do
	missing=$($machine-readelf -d "$root"/apps/* "$root/lib/$machine"/*.so* 2>/dev/null | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort -u |
		while read -r name; do
			for place in "$root/lib/$machine" "$root/apps" "$here/root/lib/$machine" "$here/root/lib"; do [ ! -e "$place/$name" ] || continue 2; done
			echo "$name"
		done)
	[ -n "$missing" ] || break
	for name in $missing; do
		cp -L "$(find "$libs" "$clients/lib" -name "$name" | head -n 1)" "$root/lib/$machine/" || die "there is no $name"
	done
done
$machine-strip "$root/apps/"*
(cd "$root" && find . | LC_ALL=C sort | cpio -o -H newc --quiet -R 0:0) | gzip -1 | cat "$here/initrd.gz" - >"$work/initrd.gz"

# What they reach: QEMU passes 10.0.5.254 on to this machine's loopback.
head -c 200000 /dev/urandom >"$work/data"
sum=$(sha256sum <"$work/data" | cut -d ' ' -f 1)
mkdir "$work/www" && cp "$work/data" "$work/www/"
background www python3 -m http.server --directory "$work/www" --bind 127.0.0.1 8000
background echo "$programs/echo" 127.0.0.1 7007
servers="8000 7007"
if command -v postgres >/dev/null && command -v initdb >/dev/null; then
	as=()
	[ "$(id -u)" != 0 ] || as=(setpriv --reuid postgres --regid postgres --init-groups)
	mkdir -m 700 "$work/pg"
	[ "$(id -u)" != 0 ] || chown postgres: "$work/pg"
	(cd "$work/pg" && into "$work/initdb.log" "${as[@]}" initdb -D "$work/pg/data" -U lfp -A trust --no-sync) || die "initdb fails"
	background postgres env --chdir="$work/pg" "${as[@]}" "$(command -v postgres)" -D "$work/pg/data" -p 5432 -h 127.0.0.1 \
		-c "unix_socket_directories=$work/pg" -c fsync=off -c shared_buffers=16MB
	servers+=" 5432"
else
	skip_part "PostgreSQL is not installed"
fi
for port in $servers; do wait_listen "$port" || die "no server at port $port"; done

for kind in hsi vm; do
	echo "== $kind"
	log=$O/s390x-via-$kind.log
	"$top/tests/s390x/boot" $kind "via lfp.sum=$sum lfp.servers=${servers// /,}" -initrd "$work/initrd.gz" -m 768 \
		-netdev user,id=n0,net=10.0.5.0/24,host=10.0.5.254 -device virtio-net-ccw,netdev=n0 >"$log"
	rc=$?
	cat "$log"
	add_counts $rc "$log"
done
finish
