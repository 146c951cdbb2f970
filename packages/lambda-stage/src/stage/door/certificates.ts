import { constants, generateKeyPairSync, privateEncrypt, randomBytes } from 'node:crypto';
import { createSecureContext, type SecureContext } from 'node:tls';
import forge from 'node-forge';

/** A certificate authority for AWS hosts, created at each start: its key exists only in this process. */
interface Authority {
  /** The certificate as PEM. */
  readonly certificate: string;
  /** The certificate for clients that don't name a host (SNI). */
  readonly fallback: HostIdentity;
  /** The certificate of a host, created on first use. */
  contextOf(host: string): SecureContext;
}

/** Certificate and private key of a host, as PEM. */
interface HostIdentity {
  readonly key: string;
  readonly cert: string;
}

const DOMAIN = 'amazonaws.com';

/** Maximum number of cached certificates. */
const MAX_HOSTS = 1_000;

const DAY = 24 * 3_600_000;
const SUBJECT = [{ name: 'commonName', value: 'Stage on this machine' }];

/** @param region - region whose hosts the default certificate covers */
export const createAuthority = (region: string): Authority => {
  const keys = makeKeys();
  const certificate = makeCertificate({
    subject: SUBJECT,
    publicKey: keys.publicKey,
    signer: keys.privateKey,
  });
  const host = makeKeys();
  const contexts = new Map<string, SecureContext>();

  const identify = (names: readonly string[]): HostIdentity => ({
    key: host.privateKey,
    cert: makeCertificate({
      subject: [{ name: 'commonName', value: DOMAIN }],
      publicKey: host.publicKey,
      signer: keys.privateKey,
      names,
    }),
  });

  return {
    certificate,
    fallback: identify([`*.${DOMAIN}`, `*.${region}.${DOMAIN}`, `*.s3.${region}.${DOMAIN}`]),
    contextOf: (name) => {
      const context = contexts.get(name) ?? createSecureContext(identify([name]));
      if (contexts.size < MAX_HOSTS) contexts.set(name, context);
      return context;
    },
  };
};

const makeKeys = () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  return { publicKey: forge.pki.publicKeyFromPem(publicKey), privateKey };
};

/** The prefix of a SHA-256 hash in an RSA signature. https://www.rfc-editor.org/rfc/rfc8017#section-9.2 */
const SHA256_INFO = Buffer.from('3031300d060960864801650304020105000420', 'hex');

/** Signs with OpenSSL, since JavaScript takes seconds. */
const toSigner = (key: string) => ({
  sign: (md: forge.md.MessageDigest): string => {
    const hash = Buffer.from(md.digest().getBytes(), 'latin1');
    const padding = constants.RSA_PKCS1_PADDING;
    return privateEncrypt({ key, padding }, Buffer.concat([SHA256_INFO, hash])).toString('latin1');
  },
});

interface CertificateParts {
  readonly subject: readonly forge.pki.CertificateField[];
  readonly publicKey: forge.pki.rsa.PublicKey;
  /** The private key of the authority. */
  readonly signer: string;
  /** Host names; none for the authority itself. */
  readonly names?: readonly string[];
}

const makeCertificate = ({ subject, publicKey, signer, names }: CertificateParts): string => {
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = publicKey;
  certificate.serialNumber = `01${randomBytes(15).toString('hex')}`;
  // Tests may shift the clocks of the processes, which must not invalidate certificates.
  certificate.validity.notBefore = new Date(Date.now() - 365 * DAY);
  certificate.validity.notAfter = new Date(Date.now() + 365 * DAY);
  certificate.setSubject([...subject]);
  certificate.setIssuer([...SUBJECT]);
  certificate.setExtensions(
    names === undefined
      ? [
          { name: 'basicConstraints', cA: true, critical: true },
          { name: 'keyUsage', keyCertSign: true, critical: true },
        ]
      : [
          { name: 'basicConstraints', cA: false },
          { name: 'extKeyUsage', serverAuth: true },
          { name: 'subjectAltName', altNames: names.map((value) => ({ type: 2, value })) },
        ],
  );
  certificate.sign(toSigner(signer) as forge.pki.rsa.PrivateKey, forge.md.sha256.create());
  return forge.pki.certificateToPem(certificate);
};
