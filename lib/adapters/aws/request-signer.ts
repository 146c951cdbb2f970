import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import aws4, { type Credentials, type Request } from 'aws4';

type SignRequest = (
  request: Request,
  credentials: Credentials & { readonly secretAccessKey: string },
) => Request;

interface SigningKey {
  readonly secret: string;
  /** `DATE/REGION/SERVICE/aws4_request` */
  readonly scope: string;
  readonly key: KeyObject;
}

/**
 * Creates a function that signs requests (SigV4) by aws4, and keeps the signing key of the last scope and secret, for the
 * requests of one caller. It is a `KeyObject`: aws4's own key is bytes, which OpenSSL takes over for every signature, at a cost
 * of more than half of it.
 */
export const createRequestSigner = (): SignRequest => {
  let kept: SigningKey | undefined;
  return (request, credentials) => {
    const signer = new aws4.RequestSigner(request, credentials);
    signer.signature = () => {
      const secret = credentials.secretAccessKey;
      const scope = signer.credentialString();
      if (kept?.secret !== secret || kept.scope !== scope)
        kept = { secret, scope, key: deriveKey(secret, scope) };
      return createHmac('sha256', kept.key).update(signer.stringToSign()).digest('hex');
    };
    return signer.sign();
  };
};

/** https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html#calculate-signature */
const deriveKey = (secret: string, scope: string): KeyObject =>
  scope
    .split('/')
    .reduce(
      (key, part) => createSecretKey(createHmac('sha256', key).update(part).digest()),
      createSecretKey(`AWS4${secret}`, 'utf8'),
    );
