import { BlockList, isIPv4, isIPv6 } from 'node:net'

/** IANA special-purpose registries: nothing in here is somebody's public server. */
const PRIVATE_V4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]

/** Within 2000::/3, the only global unicast there is. */
const PRIVATE_V6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
]

const privateV4 = blockList(PRIVATE_V4, 'ipv4')
const privateV6 = blockList(PRIVATE_V6, 'ipv6')
const globalV6 = blockList([['2000::', 3]], 'ipv6')

/** The first six groups of addresses that carry an IPv4 address in the last two: mapped, and NAT64. */
const MAPPED = '0:0:0:0:0:ffff'
const NAT64 = '64:ff9b:0:0:0:0'

/**
 * Whether an address belongs to the public internet. An address that carries another one (mapped, NAT64) is as public as
 * that; 6to4, Teredo and whatever is none at all are not.
 */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !privateV4.check(address, 'ipv4')
  if (!isIPv6(address) || address.includes('%')) return false
  const groups = groupsOf(address)
  const prefix = groups.slice(0, 6).join(':')
  if (prefix === MAPPED || prefix === NAT64) return isPublicAddress(embeddedV4(groups))
  return globalV6.check(address, 'ipv6') && !privateV6.check(address, 'ipv6')
}

function blockList(ranges: readonly (readonly [string, number])[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const [net, prefix] of ranges) list.addSubnet(net, prefix, family)
  return list
}

/** The eight groups of a valid IPv6 address, as lower-case hexadecimal without leading zeros. */
function groupsOf(address: string): readonly string[] {
  // The URL parser writes every form, dotted quads included, in one way.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = Array<string>(8 - before.length - after.length).fill('0')
  return [...before, ...zeros, ...after]
}

function embeddedV4(groups: readonly string[]): string {
  return groups
    .slice(6)
    .map((group) => Number.parseInt(group, 16))
    .flatMap((value) => [value >> 8, value & 255])
    .join('.')
}
