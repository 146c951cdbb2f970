import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { listen } from '../../net/listen.ts';
import { sendOn } from './backend.ts';
import {
  type ApiRequest,
  createArns,
  type Destination,
  type Permission,
  readHost,
  UnknownCall,
} from './calls/call.ts';
import { SECRET_SUFFIX } from './calls/json-calls.ts';
import { createLambdaLookups } from './calls/lambda-calls.ts';
import { splitBucket } from './calls/s3-calls.ts';
import { createAuthority } from './certificates.ts';
import type { Decision, Door, DoorOptions, PolicyDocument, Question, Refusal } from './door-types.ts';
import { createKeyring, type Identity, readAccount, toSession } from './identities.ts';
import { createPolicies } from './policies.ts';
import { readCall } from './read-call.ts';
import { type RefusalKind, refuseCall } from './refuse.ts';
import { createBuckets } from './services/object-store.ts';
import type { Reply } from './services/reply.ts';
import { createParameters, createSecrets, type Operate } from './services/secrets.ts';
import { createSessions } from './services/sessions.ts';
import { type ReceivedRequest, verifySignature } from './verify-signature.ts';

/** Lambda renews the keys of a function before they expire. */
const FUNCTION_SESSION_MS = 12 * 3_600_000;

/** Limit on recorded refusals: the first ones are the most useful. */
const MAX_REFUSALS = 10_000;

const ANONYMOUS = 'anonymous';

/** The host that the caller signed, for the gateway behind the door. */
const FORWARDED_HOST = 'x-forwarded-host';

/** Longer than sandboxes are idle between requests. */
const KEEP_ALIVE_MS = 60_000;

/** A file next to this one, loaded into other processes. */
const REDIRECT = join(import.meta.dirname, 'redirect.mjs');

/**
 * Starts the door of a stage: an HTTPS proxy for AWS host names that forwards the requests that AWS would allow, and
 * refuses the others as AWS would.
 *
 * @throws Error for a template whose policies can't be evaluated
 */
export const startDoor = async ({
  template,
  backends,
  users = {},
  buckets = [],
  now = Date.now,
  onRefusal = () => {},
}: DoorOptions): Promise<Door> => {
  const { account: accountId, partition, region } = template;
  const account = readAccount(template, users);
  const policies = createPolicies(account, accountId);
  const keyring = createKeyring();
  const refusals: Refusal[] = [];
  const record = (refusal: Refusal): void => {
    if (refusals.length < MAX_REFUSALS) refusals.push(refusal);
    onRefusal(refusal);
  };

  const decide = async (caller: Identity | string, permission: Permission): Promise<Decision> => {
    const { action, resource, context = {} } = permission;
    const decision = await policies.decide({ caller, action, resource, context });
    const principal = typeof caller === 'string' ? caller : caller.callerArn;
    if (!decision.allowed) record({ principal, action, resource, reason: decision.reason });
    return decision;
  };

  const apiId = Object.values(template.resources).find(({ type }) => type === 'AWS::ApiGatewayV2::Api')?.ref;
  const ownBuckets = Object.values(template.resources).flatMap(({ type, ref }) =>
    type === 'AWS::S3::Bucket' && ref !== null ? ref : [],
  );
  const askBuckets = createBuckets([...ownBuckets, ...buckets]);
  const sessions = createSessions({
    now,
    open: ({ roleArn, sessionName, policy, expiresAt }) => {
      const session = toSession(findIdentity(roleArn), sessionName, policy as PolicyDocument | null);
      return { arn: session.callerArn, ...keyring.issue(session, expiresAt) };
    },
  });
  /** The services of each region, which has its own secrets. */
  const inRegion = new Map<string, Operate>();
  const openService = (service: string, at: string): Operate | undefined => {
    const key = `${service} ${at}`;
    const arns = createArns(partition, accountId, at);
    const create: Readonly<Record<string, () => Operate>> = {
      ssm: () => createParameters((name) => arns.of('ssm', `parameter/${name.replace(/^\//, '')}`)),
      secretsmanager: () =>
        createSecrets((name) => arns.of('secretsmanager', `secret:${name}${SECRET_SUFFIX}`)),
    };
    const found = inRegion.get(key) ?? create[service]?.();
    if (found !== undefined) inRegion.set(key, found);
    return found;
  };

  const findIdentity = (principal: string): Identity => {
    const found = account.find(principal);
    if (found === null) throw new Error(`the stage has no role or user ${principal}`);
    return found;
  };

  const lookups = createLambdaLookups(
    backends.lambda,
    (name) => `arn:${partition}:lambda:${region}:${accountId}:function:${name}`,
  );

  /** The signer of a request. A wrong signature is recorded. */
  const authenticate = async (request: ReceivedRequest, service: string, at: string) => {
    const verified = await verifySignature(request, {
      service,
      region: at,
      now: now(),
      findKeys: keyring.find,
    });
    if (verified.problem !== null)
      record({
        principal: ANONYMOUS,
        action: null,
        resource: null,
        reason: `${service}: ${verified.message}`,
      });
    return verified;
  };

  const serveCall = async (request: ReceivedRequest, destination: Destination): Promise<Reply> => {
    const { service } = destination;
    const refuseAs = (kind: RefusalKind, message: string) =>
      refuseCall(service, shapeOf(request), kind, message);
    const verified = await authenticate(request, service, destination.region);
    if (verified.problem !== null) return refuseAs(verified.problem, verified.message);
    const { owner: caller } = verified;
    const api = toApiRequest(request);
    try {
      const arns = createArns(partition, accountId, destination.region);
      const call = await readCall(api, destination, arns, lookups);
      for (const permission of call.permissions) {
        const { allowed, reason } = await decide(caller, permission);
        if (!allowed) return refuseAs('denied', reason);
      }
      const own = openService(service, destination.region)?.(call.operation, call.input);
      if (own !== undefined) return own;
      if (service === 's3') return await serveBucket(api, destination, caller);
      if (service === 'sts') {
        const reply = sessions(call.operation, call.input, caller.callerArn);
        if (reply !== undefined) return reply;
      }
      const origin = Object.hasOwn(backends, service)
        ? backends[service as keyof typeof backends]
        : undefined;
      if (origin === undefined)
        throw new NoBackend(`the stage does not support ${service}:${call.operation}`);
      const reply = await sendOn(origin, request, { 'x-stage-principal': caller.callerArn });
      const { DurableExecutionArn } = call.input;
      if (typeof DurableExecutionArn === 'string') lookups.learn(DurableExecutionArn, reply.body.toString());
      return reply;
    } catch (error) {
      if (!(error instanceof UnknownCall || error instanceof NoBackend)) throw error;
      record({
        principal: caller.callerArn,
        action: null,
        resource: null,
        reason: `${service}: ${error.message}`,
      });
      return refuseAs(error instanceof NoBackend ? 'noBackend' : 'unknownOperation', error.message);
    }
  };

  /** Reveals that an object is missing only to callers that may list its bucket. */
  const serveBucket = async (api: ApiRequest, destination: Destination, caller: Identity): Promise<Reply> => {
    const { bucket, path } = splitBucket(api.path, destination.bucket);
    const reply = askBuckets({ ...api, body: Buffer.from(api.body), bucket, path });
    if (reply.status !== 404 || path === '/' || !/^(GET|HEAD)$/.test(api.method)) return reply;
    const permission = { action: 's3:ListBucket', resource: `arn:${partition}:s3:::${bucket}` };
    const { allowed, reason } = await decide(caller, permission);
    return allowed ? reply : refuseCall('s3', shapeOf(api), 'denied', reason);
  };

  const serve = async (incoming: IncomingMessage): Promise<Reply> => {
    const { method = '', url = '', headers } = incoming;
    const request: ReceivedRequest = { method, url, headers, body: await buffer(incoming) };
    const host = headers.host ?? '';
    const destination = readHost(host);
    if (destination === null) {
      const reason = `unknown host ${host}`;
      record({ principal: ANONYMOUS, action: null, resource: null, reason });
      return refuseCall(host, shapeOf(request), 'unknownOperation', reason);
    }
    const gateway = backends['execute-api'];
    if (destination.service === 'execute-api' && gateway !== undefined)
      return sendOn(gateway, request, { [FORWARDED_HOST]: host }); // verifies and authorises by itself
    return serveCall(request, destination);
  };

  const answer = (incoming: IncomingMessage, response: ServerResponse): void => {
    const send = ({ status, headers, body }: Reply) => {
      const length = { 'content-length': String(Buffer.byteLength(body)) };
      // Responses to HEAD and with 204 state themselves how long the body would be.
      const hasBody = incoming.method !== 'HEAD' && status !== 204;
      response
        .writeHead(status, { 'x-amzn-requestid': randomUUID(), ...(hasBody ? length : {}), ...headers })
        .end(body);
    };
    serve(incoming).then(send, (error: Error) => {
      if (incoming.destroyed && !incoming.complete) return; // the caller disconnected
      const reason = `the door itself failed: ${error.message}`;
      record({ principal: ANONYMOUS, action: null, resource: null, reason });
      send(refuseCall('', { method: incoming.method ?? '', isForm: false }, 'noBackend', reason));
    });
  };

  const authority = createAuthority(region);
  const folder = mkdtempSync(join(tmpdir(), 'lambda-stage-door-'));
  const caFile = join(folder, 'authority.pem');
  writeFileSync(caFile, authority.certificate);
  const server = createServer(
    { ...authority.fallback, SNICallback: (name, done) => done(null, authority.contextOf(name)) },
    answer,
  );
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  const port = await listen(server);
  server.unref();

  const toCaller = (principal: string): Identity | string => {
    const found = account.find(principal);
    if (found === null && /^[\w-]+\.amazonaws\.com$/.test(principal)) return principal;
    const identity = findIdentity(principal);
    return identity.kind === 'role' ? toSession(identity, 'stage', null) : identity;
  };
  const mayAssume = (service: string, role: string, context: Question['context'] = {}) =>
    decide(service, {
      action: 'sts:AssumeRole',
      resource: findIdentity(role).arn,
      context: { 'aws:SourceAccount': accountId, ...context },
    });

  return {
    port,
    caFile,
    nodeFlags: ['--import', `${pathToFileURL(REDIRECT)}?port=${port}&ca=${encodeURIComponent(caFile)}`],
    credentialsOf: async (principal, sessionName = 'stage') => {
      const identity = findIdentity(principal);
      if (identity.kind === 'user') return keyring.issue(identity, null);
      const { allowed, reason } = await mayAssume('lambda.amazonaws.com', principal);
      if (!allowed) throw new Error(reason);
      return keyring.issue(toSession(identity, sessionName, null), now() + FUNCTION_SESSION_MS);
    },
    authorize: async ({ principal, action, resource, context = {} }) =>
      decide(toCaller(principal), {
        action,
        resource,
        context: { 'aws:SourceAccount': accountId, ...context },
      }),
    mayAssume,
    admit: async (request) => {
      const { [FORWARDED_HOST]: host = request.headers.host, ...headers } = request.headers;
      const signed = { ...request, headers: { ...headers, host } };
      const verified = await authenticate(signed, 'execute-api', region);
      if (verified.problem !== null) return { allowed: false, message: 'Forbidden' };
      const { owner: caller, accessKeyId } = verified;
      const resource = `arn:${partition}:execute-api:${region}:${accountId}:${apiId}/$default/${request.method}${pathOfUrl(request.url)}`;
      const { allowed } = await decide(caller, { action: 'execute-api:Invoke', resource });
      return allowed
        ? { allowed: true, callerArn: caller.callerArn, accessKeyId, account: accountId }
        : { allowed: false, message: 'Forbidden' };
    },
    grantUses: policies.grantUses,
    refusals: () => refusals,
    stop: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

/** A service that the stage does not have. */
class NoBackend extends Error {}

/** The properties of a request that determine the response format. */
const shapeOf = ({ method, headers }: Pick<ReceivedRequest, 'method' | 'headers'>) => ({
  method,
  isForm: String(headers['content-type'] ?? '').startsWith('application/x-www-form-urlencoded'),
});

const pathOfUrl = (url: string): string => url.split('?', 1)[0] ?? '';

const toApiRequest = ({ method, url, headers, body }: ReceivedRequest): ApiRequest => {
  const at = url.indexOf('?');
  const query = new URLSearchParams(at < 0 ? '' : url.slice(at + 1));
  return { method, path: pathOfUrl(url), query, headers, body };
};
