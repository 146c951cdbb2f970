import { isPlainObject } from '@hookloom/plugin-kit';
import { quote } from '../../../shared/describe.ts';
import { type Problem, problemsWhere } from '../../../workflows/definition/problem.ts';
import { defineFeature, type FeatureContext } from '../../webhook-feature.ts';
import { type HandshakeRule, handshakeSchema, parametersOf } from './handshake-rule.ts';

/**
 * Answers a sender's verification of the webhook's URL. Handshakes with their own method, and Asana's, are answered before
 * authentication; all others after it and after signature verification.
 */
export const handshake = defineFeature({
  name: 'handshake',
  schema: handshakeSchema,
  expressions: ['/match'],
  templates: ['/answer/body'],
  check: (rule, context) => findProblems(rule, context),
  stages: async (rule, ports) =>
    rule.scheme === 'custom'
      ? (await import('./custom.ts')).custom(rule)
      : (await import('./schemes.ts')).handshakes[rule.scheme](rule, ports),
});

/** Senders whose handshakes prove nothing, or never succeed, without a verified signature. */
const SIGNED: readonly HandshakeRule['scheme'][] = ['discord', 'sns'];

const MAX_BODY_LENGTH = 10_000;

const findProblems = async (rule: HandshakeRule, { parameters }: FeatureContext): Promise<Problem[]> => {
  const { scheme, credentialId, match } = rule;
  const takes: readonly string[] = parametersOf[scheme];
  const given = Object.keys(rule);
  const { signature = null } = parameters;
  const isSigned = isPlainObject(signature) && signature.scheme === scheme;
  const missing =
    (takes.includes('credentialId') && credentialId === undefined ? 'credentialId' : null) ??
    (takes.includes('match') && match === undefined ? 'match' : null);
  const idle = `has no effect with the scheme ${quote(scheme)}`;
  const unsigned = `the scheme ${quote(scheme)} needs the signature of the same scheme`;
  return [
    ...problemsWhere(
      [missing !== null, '', `the scheme ${quote(scheme)} needs ${missing}`],
      ...given.map((name) => [name !== 'scheme' && !takes.includes(name), `/${name}`, idle] as const),
      [SIGNED.includes(scheme) && !isSigned, '', unsigned],
      [
        rule.unsigned !== undefined && rule.method !== undefined,
        '/unsigned',
        'has no effect with a method, whose handshakes are never signed',
      ],
    ),
    ...(rule.answer === undefined ? [] : await findBodyProblems(rule.answer, rule.unsigned === true)),
  ];
};

const findBodyProblems = async (
  { contentType, body = '' }: NonNullable<HandshakeRule['answer']>,
  isUnsigned: boolean,
): Promise<Problem[]> => {
  const problem = (message: string) => [{ path: '/answer/body', message }];
  if (JSON.stringify(body).length > MAX_BODY_LENGTH)
    return problem(`is longer than ${MAX_BODY_LENGTH} characters`);
  // Anybody may send the request: nothing of it, of variables or of the workflow goes back.
  if (isUnsigned && JSON.stringify(body).includes('{{'))
    return problem('must be fixed, without expressions, since the handshake is unsigned');
  if (typeof body !== 'string' || contentType !== 'application/json') return [];
  const { isJsonTemplate } = await import('./custom.ts');
  if (isJsonTemplate(body)) return [];
  return problem('is not JSON: with expressions in it, write a JSON value instead of a text');
};
