-- SPDX-License-Identifier: Apache-2.0
-- lfp.lua - Wireshark's dissector for Linux Fast Path
--
-- Theory of operation
--
-- A captured packet begins with the header of a packet on the path (16 bytes); then come its frames.
-- "lfpd-admin trace export" gives each frame a packet of its own, with the header of the one in which
-- it travelled, and may have cut its payload: that is told by the capture's lengths. The messages and
-- their fields are printed by the program that knows them (make docs); so nothing of a body is known
-- here but the kinds of fields.

local lfp = Proto("lfp", "Linux Fast Path")

-- messages begin
local messages = {
	[0x01] = { name = "HELLO", body = "hello" },
	[0x81] = { name = "HELLO_REPLY", body = "hello_reply" },
	[0x02] = { name = "BYE", body = "bye" },
	[0x03] = { name = "TASK_BEGIN", body = "task_begin" },
	[0x83] = { name = "TASK_BEGIN_REPLY", body = "empty" },
	[0x04] = { name = "TASK_END", body = "empty" },
	[0x05] = { name = "TASK_WHO", body = "task_who" },
	[0x39] = { name = "ASK_WHO", body = "ask_who" },
	[0x10] = { name = "SOCKET", body = "socket" },
	[0x90] = { name = "SOCKET_REPLY", body = "empty" },
	[0x11] = { name = "BIND", body = "bind" },
	[0x91] = { name = "BIND_REPLY", body = "empty" },
	[0x12] = { name = "CONNECT", body = "connect" },
	[0x92] = { name = "CONNECT_REPLY", body = "empty" },
	[0x13] = { name = "CONNECTED", body = "empty" },
	[0x14] = { name = "LISTEN", body = "listen" },
	[0x94] = { name = "LISTEN_REPLY", body = "empty" },
	[0x15] = { name = "ACCEPT", body = "accept" },
	[0x16] = { name = "ACCEPTED", body = "accepted" },
	[0x17] = { name = "SHUTDOWN", body = "shutdown" },
	[0x18] = { name = "CLOSE", body = "close" },
	[0x98] = { name = "CLOSE_REPLY", body = "empty" },
	[0x19] = { name = "RESET", body = "empty" },
	[0x1a] = { name = "GETSOCKNAME", body = "empty" },
	[0x9a] = { name = "GETSOCKNAME_REPLY", body = "name" },
	[0x1b] = { name = "GETPEERNAME", body = "empty" },
	[0x9b] = { name = "GETPEERNAME_REPLY", body = "name" },
	[0x1c] = { name = "GETSOCKOPT", body = "getsockopt" },
	[0x9c] = { name = "GETSOCKOPT_REPLY", body = "value" },
	[0x1d] = { name = "SETSOCKOPT", body = "setsockopt" },
	[0x9d] = { name = "SETSOCKOPT_REPLY", body = "empty" },
	[0x1e] = { name = "DATA", body = "data" },
	[0x1f] = { name = "WINDOW", body = "window" },
	[0x20] = { name = "GETADDRINFO", body = "getaddrinfo" },
	[0xa0] = { name = "GETADDRINFO_REPLY", body = "getaddrinfo_reply" },
	[0x21] = { name = "GETNAMEINFO", body = "getnameinfo" },
	[0xa1] = { name = "GETNAMEINFO_REPLY", body = "getnameinfo_reply" },
	[0x22] = { name = "GETHOSTBYNAME", body = "gethostbyname" },
	[0xa2] = { name = "GETHOSTBYNAME_REPLY", body = "hostent" },
	[0x23] = { name = "GETHOSTBYADDR", body = "gethostbyaddr" },
	[0xa3] = { name = "GETHOSTBYADDR_REPLY", body = "hostent" },
	[0x24] = { name = "GETHOSTNAME", body = "empty" },
	[0xa4] = { name = "GETHOSTNAME_REPLY", body = "gethostname_reply" },
	[0x28] = { name = "OUTQ", body = "empty" },
	[0xa8] = { name = "OUTQ_REPLY", body = "outq" },
	[0x25] = { name = "GETHOSTID", body = "empty" },
	[0xa5] = { name = "GETHOSTID_REPLY", body = "gethostid_reply" },
	[0x26] = { name = "GETIFADDRS", body = "empty" },
	[0xa6] = { name = "GETIFADDRS_REPLY", body = "getifaddrs_reply" },
	[0x29] = { name = "SENT", body = "empty" },
	[0xa9] = { name = "SENT_REPLY", body = "empty" },
	[0x2a] = { name = "ERRQUEUE", body = "empty" },
	[0xaa] = { name = "ERRQUEUE_REPLY", body = "errqueue" },
	[0x2b] = { name = "TAKEN", body = "empty" },
	[0x30] = { name = "DATAGRAM", body = "datagram" },
	[0x31] = { name = "DATAGRAM_ERROR", body = "datagram_error" },
	[0x35] = { name = "SUSPEND", body = "empty" },
	[0x37] = { name = "SUSPENDED", body = "empty" },
	[0x36] = { name = "RESUME", body = "resume" },
	[0xb6] = { name = "RESUME_REPLY", body = "resume" },
	[0x38] = { name = "RESUMED", body = "empty" },
	[0xb8] = { name = "RESUMED_REPLY", body = "empty" },
}
local messages_data = 0x1e
local bodies = {
	empty = {
	},
	hello = {
		{ kind = "u16", name = "version", min = 1, max = 65535 },
		{ kind = "u16", name = "threshold", min = 1, max = 100 },
		{ kind = "u32", name = "features", min = 0, max = 4294967295 },
		{ kind = "u64", name = "session" },
		{ kind = "u32", name = "mtu", min = 1024, max = 65536 },
		{ kind = "u32", name = "msglimit", min = 1, max = 65535 },
		{ kind = "u32", name = "window", min = 4096, max = 16777216 },
		{ kind = "name8", name = "vmid" },
		{ kind = "name8", name = "appname" },
		{ kind = "name8", name = "dest_vmid" },
		{ kind = "name8", name = "dest_appname" },
	},
	hello_reply = {
		{ kind = "u16", name = "version", min = 1, max = 65535 },
		{ kind = "u16", name = "threshold", min = 1, max = 100 },
		{ kind = "u32", name = "features", min = 0, max = 4294967295 },
		{ kind = "u64", name = "session" },
		{ kind = "u32", name = "mtu", min = 1024, max = 65536 },
		{ kind = "u32", name = "msglimit", min = 1, max = 65535 },
		{ kind = "u32", name = "window", min = 4096, max = 16777216 },
		{ kind = "name8", name = "vmid" },
		{ kind = "name8", name = "appname" },
		{ kind = "text", name = "codepage" },
	},
	bye = {
		{ kind = "text", name = "reason" },
	},
	task_begin = {
		{ kind = "u32", name = "pid", min = 0, max = 4294967295 },
		{ kind = "u32", name = "uid", min = 0, max = 4294967295 },
		{ kind = "u16", name = "id", min = 0, max = 65535 },
		{ kind = "name8", name = "partition" },
		{ kind = "text", name = "program" },
	},
	socket = {
		{ kind = "u16", name = "family", min = 0, max = 65535 },
		{ kind = "u16", name = "kind", min = 0, max = 65535 },
		{ kind = "u16", name = "protocol", min = 0, max = 65535 },
	},
	bind = {
		{ kind = "addr", name = "local" },
	},
	connect = {
		{ kind = "addr", name = "peer" },
	},
	listen = {
		{ kind = "i32", name = "backlog", min = -2147483648, max = 2147483647 },
	},
	accept = {
		{ kind = "u32", name = "count", min = 1, max = 65535 },
	},
	accepted = {
		{ kind = "u64", name = "id" },
		{ kind = "addr", name = "peer" },
		{ kind = "addr", name = "local" },
	},
	shutdown = {
		{ kind = "u8", name = "how", min = 0, max = 2 },
		{ kind = "u64", name = "position" },
	},
	close = {
		{ kind = "u8", name = "how", min = 0, max = 1 },
		{ kind = "u64", name = "received" },
	},
	name = {
		{ kind = "addr", name = "addr" },
	},
	getsockopt = {
		{ kind = "i32", name = "level", min = -2147483648, max = 2147483647 },
		{ kind = "i32", name = "name", min = -2147483648, max = 2147483647 },
		{ kind = "u32", name = "length", min = 0, max = 4096 },
	},
	value = {
		{ kind = "bytes", name = "value" },
	},
	setsockopt = {
		{ kind = "i32", name = "level", min = -2147483648, max = 2147483647 },
		{ kind = "i32", name = "name", min = -2147483648, max = 2147483647 },
		{ kind = "bytes", name = "value" },
	},
	data = {
		{ kind = "u64", name = "position" },
		{ kind = "bytes", name = "payload" },
	},
	window = {
		{ kind = "u64", name = "consumed" },
	},
	getaddrinfo = {
		{ kind = "u32", name = "flags", min = 0, max = 4294967295 },
		{ kind = "u16", name = "family", min = 0, max = 65535 },
		{ kind = "u16", name = "kind", min = 0, max = 65535 },
		{ kind = "u16", name = "protocol", min = 0, max = 65535 },
		{ kind = "u8", name = "given", min = 0, max = 3 },
		{ kind = "text", name = "node" },
		{ kind = "text", name = "service" },
	},
	getaddrinfo_reply = {
		{ kind = "i32", name = "error", min = -2147483648, max = 0 },
		{ kind = "text", name = "canonname" },
		{ kind = "bytes", name = "entries" },
	},
	getnameinfo = {
		{ kind = "addr", name = "addr" },
		{ kind = "u32", name = "flags", min = 0, max = 4294967295 },
	},
	getnameinfo_reply = {
		{ kind = "i32", name = "error", min = -2147483648, max = 0 },
		{ kind = "text", name = "host" },
		{ kind = "text", name = "service" },
	},
	gethostbyname = {
		{ kind = "u16", name = "family", min = 0, max = 65535 },
		{ kind = "text", name = "name" },
	},
	gethostbyaddr = {
		{ kind = "addr", name = "addr" },
	},
	hostent = {
		{ kind = "u32", name = "h_errno", min = 0, max = 255 },
		{ kind = "u8", name = "aliases", min = 0, max = 64 },
		{ kind = "text", name = "name" },
		{ kind = "bytes", name = "rest" },
	},
	gethostname_reply = {
		{ kind = "text", name = "name" },
	},
	gethostid_reply = {
		{ kind = "u32", name = "id", min = 0, max = 4294967295 },
	},
	getifaddrs_reply = {
		{ kind = "u16", name = "links", min = 0, max = 1024 },
		{ kind = "bytes", name = "rest" },
	},
	outq = {
		{ kind = "u32", name = "unacked", min = 0, max = 4294967295 },
		{ kind = "u32", name = "unsent", min = 0, max = 4294967295 },
	},
	datagram = {
		{ kind = "u64", name = "position" },
		{ kind = "u32", name = "total", min = 0, max = 65535 },
		{ kind = "u32", name = "offset", min = 0, max = 65535 },
		{ kind = "addr", name = "addr" },
		{ kind = "u16", name = "has", min = 0, max = 8191 },
		{ kind = "u8", name = "ttl", min = 0, max = 255 },
		{ kind = "u8", name = "tos", min = 0, max = 255 },
		{ kind = "u32", name = "ifindex", min = 0, max = 4294967295 },
		{ kind = "addr", name = "local" },
		{ kind = "u32", name = "spec", min = 0, max = 4294967295 },
		{ kind = "u32", name = "drops", min = 0, max = 4294967295 },
		{ kind = "u16", name = "segment", min = 0, max = 65535 },
		{ kind = "bytes", name = "payload" },
	},
	datagram_error = {
		{ kind = "u16", name = "error", min = 1, max = 4095 },
	},
	errqueue = {
		{ kind = "u32", name = "error", min = 0, max = 4095 },
		{ kind = "u8", name = "origin", min = 0, max = 255 },
		{ kind = "u8", name = "type", min = 0, max = 255 },
		{ kind = "u8", name = "code", min = 0, max = 255 },
		{ kind = "u32", name = "info", min = 0, max = 4294967295 },
		{ kind = "u32", name = "data", min = 0, max = 4294967295 },
		{ kind = "addr", name = "dest" },
		{ kind = "addr", name = "offender" },
		{ kind = "bytes", name = "payload" },
	},
	resume = {
		{ kind = "u64", name = "sent" },
		{ kind = "u64", name = "received" },
	},
	task_who = {
		{ kind = "u16", name = "known", min = 0, max = 3 },
		{ kind = "u32", name = "uid", min = 0, max = 4294967295 },
		{ kind = "text", name = "program" },
		{ kind = "bytes", name = "groups" },
	},
	ask_who = {
		{ kind = "u16", name = "parts", min = 0, max = 3 },
	},
}
-- messages end

local PACKET_HEADER, FRAME_HEADER, ADDR = 16, 24, 28
local MAGIC, VERSION, PACKET_DATA = 0x4c46, 1, 1

local names, fields = {}, {}
for code, message in pairs(messages) do
	names[code] = message.name
end

local function field(name, constructor, ...)
	fields[name] = constructor("lfp." .. name, ...)
end

field("packet.flags", ProtoField.uint8, "Flags of the packet", base.HEX)
field("packet.length", ProtoField.uint32, "Length of the packet")
field("packet.sequence", ProtoField.uint32, "Sequence")
field("packet.taken", ProtoField.uint32, "Packets taken")
field("length", ProtoField.uint32, "Length")
field("code", ProtoField.uint8, "Message", base.HEX, names)
field("message", ProtoField.string, "Name of the message")
field("flags", ProtoField.uint8, "Flags", base.HEX)
field("flags.more", ProtoField.bool, "More of this write follows", 8, nil, 0x01)
field("flags.urgent", ProtoField.bool, "Urgent", 8, nil, 0x02)
field("status", ProtoField.uint16, "Status")
field("request", ProtoField.uint32, "Request")
field("task", ProtoField.uint32, "Task")
field("socket", ProtoField.uint64, "Socket", base.HEX)
field("epoch", ProtoField.uint16, "Epoch", base.DEC, nil, 0x7fff)
field("addr.family", ProtoField.uint16, "Family", base.DEC, { [0] = "none", [2] = "IPv4", [19] = "IPv6" })
field("addr.port", ProtoField.uint16, "Port")
field("addr.flowinfo", ProtoField.uint32, "Flow information", base.HEX)
field("addr.ip", ProtoField.ipv4, "Address")
field("addr.ip6", ProtoField.ipv6, "Address")
field("addr.scope", ProtoField.uint32, "Scope")

-- A field of a body is "lfp.BODY.FIELD".
local constructors = {
	u8 = ProtoField.uint8, u16 = ProtoField.uint16, u32 = ProtoField.uint32, u64 = ProtoField.uint64,
	i32 = ProtoField.int32, name8 = ProtoField.string, addr = ProtoField.bytes,
	text = ProtoField.bytes, bytes = ProtoField.bytes,
}
local sizes = { u8 = 1, u16 = 2, u32 = 4, u64 = 8, i32 = 4, name8 = 8, addr = ADDR, text = 2 }

for body, list in pairs(bodies) do
	for _, one in ipairs(list) do
		field(body .. "." .. one.name, constructors[one.kind], one.name)
	end
end
local all = {}
for _, one in pairs(fields) do
	all[#all + 1] = one
end
lfp.fields = all

local malformed = ProtoExpert.new("lfp.malformed", "Malformed", expert.group.MALFORMED, expert.severity.ERROR)
local cut = ProtoExpert.new("lfp.cut", "Not captured", expert.group.COMMENTS_GROUP, expert.severity.CHAT)
lfp.experts = { malformed, cut }

local function wrong(tree, text)
	tree:add_proto_expert_info(malformed, text)
end

local function add_addr(tree, body, one, range)
	local family, port = range(0, 2):uint(), range(2, 2):uint()
	local item = tree:add(fields[body .. "." .. one.name], range)
	local text = "none"

	item:add(fields["addr.family"], range(0, 2))
	item:add(fields["addr.port"], range(2, 2))
	item:add(fields["addr.flowinfo"], range(4, 4))
	if family == 2 then
		item:add(fields["addr.ip"], range(8, 4))
		text = tostring(range(8, 4):ipv4()) .. ":" .. port
	elseif family == 19 then
		item:add(fields["addr.ip6"], range(8, 16))
		text = "[" .. tostring(range(8, 16):ipv6()) .. "]:" .. port
	elseif family ~= 0 then
		wrong(item, "address of family " .. family)
	end
	item:add(fields["addr.scope"], range(24, 4))
	item:set_text(one.name .. ": " .. text)
	return text
end

-- The fields of a body at [at, last). Bytes missing from the capture are reported, but are no error. Returns what the
-- line of the packet should have of it.
local function add_body(tree, body, frame, at, last)
	local captured, info = frame.captured, ""

	for _, one in ipairs(bodies[body]) do
		local proto, kind = fields[body .. "." .. one.name], one.kind
		local size = kind == "bytes" and last - at or sizes[kind]

		if at + size > last then
			wrong(tree, "no room for " .. one.name)
			return info
		end
		if kind == "text" and at + 2 <= captured then
			size = 2 + frame(at, 2):uint()
			if at + size > last then
				wrong(tree, one.name .. " is longer than the frame")
				return info
			end
		end
		if at + size > captured then
			if kind == "bytes" and captured > at then
				tree:add(proto, frame(at, captured - at))
			end
			tree:add_proto_expert_info(cut, one.name .. ": " .. size .. " bytes, not all of them captured")
			return info
		end
		local range = size > 0 and frame(at, size) or nil
		if kind == "addr" then
			info = info .. " " .. add_addr(tree, body, one, range)
		elseif kind == "text" then
			tree:add(proto, frame(at + 2, size - 2))
		elseif kind == "bytes" then
			if range then
				tree:add(proto, range)
			end
		else
			local item = tree:add(proto, range)
			local value = kind == "i32" and range:int() or kind == "u64" and range:uint64() or
				kind ~= "name8" and range:uint() or nil

			if value and one.min and (value < one.min or value > one.max) then
				item:add_proto_expert_info(malformed, one.name .. " is not within its range")
			end
		end
		at = at + size
	end
	if at ~= last then
		wrong(tree, "bytes after the last field")
	end
	return info
end

-- The buffer from @base on: a part of Wireshark's own would forget what was not captured.
local function view(buffer, base)
	return setmetatable({
		captured = buffer:captured_len() - base,
		reported = buffer:reported_len() - base,
	}, {
		__call = function(_, at, len)
			return buffer(base + at, len)
		end,
	})
end

-- Bits 48 to 62 are the epoch.
local SOCKET_ID = UInt64(0xffffffff, 0x8000ffff)

-- One frame at the beginning of @frame; returns its length, nil if the rest cannot be understood.
local function add_frame(frame, tree, info)
	local reported, captured = frame.reported, frame.captured

	if captured < FRAME_HEADER then
		wrong(tree, "frame shorter than its header")
		return nil
	end
	local length, code = frame(0, 4):uint(), frame(4, 1):uint()
	local message = messages[code]
	local name = message and message.name or string.format("unknown message 0x%02x", code)
	local top = tree:add(lfp, frame(0, math.min(length, captured)), name)

	top:add(fields["length"], frame(0, 4))
	top:add(fields["code"], frame(4, 1))
	top:add(fields["message"], frame(4, 1), name)
	local flags = top:add(fields["flags"], frame(5, 1))
	if code == messages_data then
		flags:add(fields["flags.more"], frame(5, 1))
		flags:add(fields["flags.urgent"], frame(5, 1))
	end
	top:add(fields["status"], frame(6, 2))
	top:add(fields["request"], frame(8, 4))
	top:add(fields["task"], frame(12, 4))
	local id = frame(16, 8):uint64():band(SOCKET_ID)
	top:add(fields["socket"], frame(16, 8), id)
	top:add(fields["epoch"], frame(16, 2))
	if length < FRAME_HEADER or length > reported then
		wrong(top, "frame length does not fit the packet")
		return nil
	end
	if not message then
		wrong(top, "unknown message")
		return length
	end
	local text = add_body(top, message.body, frame, FRAME_HEADER, length)
	local status, epoch = frame(6, 2):uint(), frame(16, 2):uint() % 0x8000

	if epoch ~= 0 then
		text = " epoch " .. epoch .. text
	end
	if id ~= UInt64(0) then
		text = " socket 0x" .. id:tohex():gsub("^0+", "") .. text
	end
	if status ~= 0 then
		text = text .. " status " .. status
	end
	if code == messages_data then
		text = text .. " " .. length - FRAME_HEADER - 8 .. " bytes"
	end
	info[#info + 1] = name .. text
	return length
end

function lfp.dissector(buffer, pinfo, root)
	local captured, reported = buffer:captured_len(), buffer:reported_len()

	if captured < PACKET_HEADER or buffer(0, 2):uint() ~= MAGIC then
		return 0
	end
	pinfo.cols.protocol = "LFP"
	local tree = root:add(lfp, buffer(0, PACKET_HEADER), "Linux Fast Path, packet " .. buffer(8, 4):uint())
	tree:add(fields["packet.flags"], buffer(3, 1))
	tree:add(fields["packet.length"], buffer(4, 4))
	tree:add(fields["packet.sequence"], buffer(8, 4))
	tree:add(fields["packet.taken"], buffer(12, 4))
	if buffer(2, 1):uint() ~= VERSION then
		wrong(tree, "packet of another version")
	end
	if buffer(3, 1):uint() > PACKET_DATA then
		wrong(tree, "packet with unknown flags")
	end
	if buffer(4, 4):uint() < reported then
		wrong(tree, "packet shorter than what was captured of it")
	end

	local at, info = PACKET_HEADER, {}
	while at < reported and at < captured do
		local length = add_frame(view(buffer, at), root, info)

		if not length then
			break
		end
		at = at + length
	end
	-- P2P_DIR_SENT of Wireshark is lfpd's own sending.
	local direction = pinfo.p2p_dir
	if direction == 0 then
		pinfo.cols.src, pinfo.cols.dst = "lfpd", "z/VSE"
	elseif direction == 1 then
		pinfo.cols.src, pinfo.cols.dst = "z/VSE", "lfpd"
	end
	pinfo.cols.info = #info > 0 and table.concat(info, ", ") or "no frame"
	return captured
end

DissectorTable.get("wtap_encap"):add(wtap.USER0, lfp)
