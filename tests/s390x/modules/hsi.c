// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * hsi - a pretend HiperSockets LAN for testing AF_IUCV without a mainframe.
 *
 *   insmod hsi.ko ids=LINUX1,VSE1 [mtu=57344]
 *   echo eth0 > /sys/module/hsi/parameters/link     (optional, once)
 *   echo 1 > /sys/module/hsi/parameters/lose        (frames get lost; 0: no more)
 *   echo 1 > /sys/module/hsi/parameters/hold        (no transmission completes; 0: later ones do)
 *
 * Creates one Ethernet-like device hsi0, hsi1, ... per user id and stores the
 * blank padded EBCDIC user id in perm_addr[0..7], which is what the qeth driver
 * does for a HiperSockets device with a non-empty "hsuid" and what af_iucv
 * bind() looks for.  Frames are delivered by destUserID: to another hsiN, else
 * (with a link) to the lower device, else the sender gets "unreachable". Like qeth it fixes the
 * link header, which af_iucv leaves zero in its SYN|ACK and SYN|FIN answers, and reports transmit
 * completion through sk_txnotify.
 */
#include <linux/etherdevice.h>
#include <linux/if_ether.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <net/net_namespace.h>
#include <net/sock.h>
#include <asm/ebcdic.h>
#include <net/iucv/af_iucv.h> /* needs net/sock.h first */

#define HSI_MAX 8
static char *ids[HSI_MAX];
static int nids;
module_param_array(ids, charp, &nids, 0444);
static int mtu = 57344;
module_param(mtu, int, 0444);
static bool lose; /* frames get lost, as when the partner has just gone */
module_param(lose, bool, 0644);
static bool hold; /* their completion is not reported, as when the partner's queues are full */
module_param(hold, bool, 0644);

static struct net_device *hsi[HSI_MAX], *lower;

static int set_link(const char *val, const struct kernel_param *kp);
static const struct kernel_param_ops link_ops = {.set = set_link};
module_param_cb(link, &link_ops, NULL, 0200);

static void hsi_notify(struct sock *sk, enum iucv_tx_notify n)
{
	if (sk && sk->sk_family == PF_IUCV)
		iucv_sk(sk)->sk_txnotify(sk, n);
}

static struct net_device *hsi_find(const char *uid)
{
	int i;

	for (i = 0; i < nids; i++)
		if (hsi[i] && !memcmp(hsi[i]->perm_addr, uid, 8))
			return hsi[i];
	return NULL;
}

static netdev_tx_t hsi_xmit(struct sk_buff *skb, struct net_device *dev)
{
	enum iucv_tx_notify n = TX_NOTIFY_UNREACHABLE;
	struct af_iucv_trans_hdr *h;
	struct net_device *to;
	struct ethhdr *eth;
	struct sock *sk = skb->sk;

	if (!pskb_may_pull(skb, ETH_HLEN + sizeof(*h)) || skb_cow_head(skb, 0))
		goto drop;
	eth = (struct ethhdr *)skb->data;
	h = (struct af_iucv_trans_hdr *)(skb->data + ETH_HLEN);
	if (h->magic != ETH_P_AF_IUCV)
		goto drop;
	eth_broadcast_addr(eth->h_dest);
	ether_addr_copy(eth->h_source, dev->dev_addr);
	eth->h_proto = htons(ETH_P_AF_IUCV);
	dev->stats.tx_packets++;
	dev->stats.tx_bytes += skb->len;
	if (sk)
		sock_hold(sk);
	to = hsi_find(h->destUserID);
	if (lose) {
		kfree_skb(skb);
		n = TX_NOTIFY_OK;
	} else if (to) {
		if ((to->flags & IFF_UP) && dev_forward_skb(to, skb) == NET_RX_SUCCESS)
			n = TX_NOTIFY_OK;
		else if (!(to->flags & IFF_UP))
			kfree_skb(skb);
	} else if (lower) {
		skb->dev = lower;
		skb_orphan(skb);
		if (dev_queue_xmit(skb) == NET_XMIT_SUCCESS)
			n = TX_NOTIFY_OK;
	} else {
		kfree_skb(skb);
	}
	if (!hold)
		hsi_notify(sk, n);
	if (sk)
		sock_put(sk);
	return NETDEV_TX_OK;
drop:
	dev->stats.tx_dropped++;
	kfree_skb(skb);
	return NETDEV_TX_OK;
}

static rx_handler_result_t hsi_from_link(struct sk_buff **pskb)
{
	struct sk_buff *skb = *pskb;
	struct net_device *to;

	if (skb->protocol != htons(ETH_P_AF_IUCV))
		return RX_HANDLER_PASS;
	skb = skb_share_check(skb, GFP_ATOMIC);
	if (!skb)
		return RX_HANDLER_CONSUMED;
	*pskb = skb;
	if (!pskb_may_pull(skb, sizeof(struct af_iucv_trans_hdr)))
		goto drop;
	to = hsi_find(((struct af_iucv_trans_hdr *)skb->data)->destUserID);
	if (!to || !(to->flags & IFF_UP))
		goto drop;
	skb->dev = to;
	to->stats.rx_packets++;
	return RX_HANDLER_ANOTHER;
drop:
	kfree_skb(skb);
	return RX_HANDLER_CONSUMED;
}

static const struct net_device_ops hsi_ops = {
	.ndo_start_xmit = hsi_xmit,
};

static void hsi_setup(struct net_device *dev)
{
	ether_setup(dev);
	dev->netdev_ops = &hsi_ops;
	dev->flags |= IFF_NOARP;
	dev->max_mtu = 65535;
	dev->mtu = mtu;
	dev->needs_free_netdev = true;
	eth_hw_addr_random(dev);
}

/* not __init: parameters can be written at any time */
static int set_link(const char *val, const struct kernel_param *kp)
{
	char name[IFNAMSIZ];
	struct net_device *dev;
	int rc;

	strscpy(name, val, sizeof(name));
	rtnl_lock();
	dev = __dev_get_by_name(&init_net, strim(name));
	rc = lower ? -EBUSY : dev ? netdev_rx_handler_register(dev, hsi_from_link, NULL) : -ENODEV;
	if (!rc) {
		dev_hold(dev);
		lower = dev;
	}
	rtnl_unlock();
	return rc;
}

static void hsi_cleanup(void)
{
	int i;

	rtnl_lock();
	if (lower) {
		netdev_rx_handler_unregister(lower);
		dev_put(lower);
	}
	rtnl_unlock();
	for (i = 0; i < nids; i++)
		if (hsi[i])
			unregister_netdev(hsi[i]);
}

/* no __init: see docs/s390x.md */
static int hsi_init(void)
{
	struct net_device *dev;
	char uid[8];
	int i, rc;

	if (!nids)
		return -EINVAL;
	for (i = 0; i < nids; i++) {
		dev = alloc_netdev(0, "hsi%d", NET_NAME_ENUM, hsi_setup);
		if (!dev) {
			rc = -ENOMEM;
			goto fail;
		}
		memset(uid, ' ', 8);
		memcpy(uid, ids[i], min_t(size_t, strlen(ids[i]), 8));
		ASCEBC(uid, 8);
		memcpy(dev->perm_addr, uid, 8);
		rc = register_netdev(dev);
		if (rc) {
			free_netdev(dev);
			goto fail;
		}
		hsi[i] = dev;
	}
	return 0;
fail:
	hsi_cleanup();
	return rc;
}

module_init(hsi_init);
module_exit(hsi_cleanup);
MODULE_DESCRIPTION("pretend HiperSockets LAN for AF_IUCV tests");
MODULE_LICENSE("Dual MIT/GPL");
