/** Domains of AWS's partitions that have their own; the others use `amazonaws.com`. */
const DOMAINS: Readonly<Record<string, string>> = {
  'aws-cn': 'amazonaws.com.cn',
  'aws-eusc': 'amazonaws.eu',
  'aws-iso': 'c2s.ic.gov',
  'aws-iso-b': 'sc2s.sgov.gov',
  'aws-iso-e': 'cloud.adc-e.uk',
  'aws-iso-f': 'csp.hci.ic.gov',
};

/**
 * Where SNS answers for a topic, and the names to which its certificates are issued, which differ by region:
 * https://github.com/aws/aws-sdk-java-v2/tree/master/services-custom/sns-message-manager
 *
 * @param topicArn - `arn:PARTITION:sns:REGION:ACCOUNT:NAME`
 */
export const findSnsAddresses = (topicArn: string): { readonly host: string; readonly names: string[] } => {
  const [, partition = '', , region = ''] = topicArn.split(':');
  const domain = DOMAINS[partition] ?? 'amazonaws.com';
  const host = `sns.${region}.${domain}`;
  const names = [`sns.${domain}`, host, `sns-signing.${region}.${domain}`, `sns-${region}.${domain}`];
  // Both regions of this partition sign with the certificate of one.
  return { host, names: partition === 'aws-us-gov' ? [...names, `sns-us-gov-west-1.${domain}`] : names };
};
