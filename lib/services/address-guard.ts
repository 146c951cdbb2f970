import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The only part of IPv6 that is handed out for use on the internet (RFC 4291 §2.4, IANA's registry). */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');
/** NAT64 (RFC 6052): a DNS64 resolver answers so for hosts that have only IPv4. */
const nat64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

/**
 * Why no request may go to this address, such as `loopback` or `private`; null when it is a public one.
 * It asks what is public, not what is forbidden, so that a range nobody thought of is refused.
 */
export const findAddressProblem = (address: string): string | null => {
  if (isIP(address) === 0) return 'not an IP address';
  const canonical = toCanonicalAddress(address);
  const range = canonical.range();
  if (range !== 'unicast') return range;
  // Such as the IPv4-compatible ::127.0.0.1, to which ipaddr.js gives no range of its own.
  return canonical instanceof ipaddr.IPv6 && !canonical.match(globalUnicast) ? 'not global' : null;
};

/** An IPv4 address in the clothes of IPv6 (mapped, NAT64) is judged, and reached, as what it is. */
export const toCanonicalAddress = (address: string): ipaddr.IPv4 | ipaddr.IPv6 => {
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4 || !parsed.match(nat64)) return parsed;
  return new ipaddr.IPv4(parsed.toByteArray().slice(12));
};
