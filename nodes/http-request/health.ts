import { findAddressProblem, type HealthCheckResult } from '@hookloom/plugin-kit';

/** Addresses that the guard must refuse: this machine, cloud metadata, a private network. */
const forbidden = ['127.0.0.1', '::1', '169.254.169.254', '10.0.0.1', '::ffff:127.0.0.1'];

/** Checks the address guard without using the network. */
export const checkAddressGuard = (): HealthCheckResult => {
  const open = forbidden.filter((address) => findAddressProblem(address) === null);
  if (open.length > 0)
    return { status: 'unhealthy', message: `the address guard lets ${open.join(', ')} pass` };
  return findAddressProblem('1.1.1.1') === null
    ? { status: 'healthy' }
    : { status: 'unhealthy', message: 'the address guard refuses public addresses' };
};
