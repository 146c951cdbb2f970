import type { HealthCheckResult } from '../../contract/plugin.ts';
import { findAddressProblem } from '../../shared/address-guard.ts';

/** Addresses that no node may ever reach: this machine, the metadata of the cloud, a private network. */
const forbidden = ['127.0.0.1', '::1', '169.254.169.254', '10.0.0.1', '::ffff:127.0.0.1'];

/** Makes sure, without touching the network, that the address guard is in force. */
export const checkAddressGuard = (): HealthCheckResult => {
  const open = forbidden.filter((address) => findAddressProblem(address) === null);
  if (open.length > 0)
    return { status: 'unhealthy', message: `the address guard lets ${open.join(', ')} pass` };
  return findAddressProblem('1.1.1.1') === null
    ? { status: 'healthy' }
    : { status: 'unhealthy', message: 'the address guard refuses public addresses' };
};
