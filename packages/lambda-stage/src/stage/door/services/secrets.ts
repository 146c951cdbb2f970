import { type Reply, toJson, toJsonError } from './reply.ts';

type Input = Readonly<Record<string, unknown>>;

/** An operation of an in-memory service; undefined if unsupported. */
export type Operate = (operation: string, input: Input) => Reply | undefined;

/** Maximum bytes of a value in the standard tier and in the advanced one, which intelligent tiering uses when needed. */
const STANDARD_BYTES = 4_096;
const ADVANCED_BYTES = 8_192;
/** Maximum number of names per `GetParameters` call. */
const MAX_NAMES = 10;

interface Parameter {
  readonly type: string;
  readonly value: string;
  readonly version: number;
}

/** Parameters of Systems Manager. https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_GetParameter.html */
export const createParameters = (toArn: (name: string) => string): Operate => {
  const parameters = new Map<string, Parameter>();
  const read = (Name: string, { WithDecryption }: Input) => {
    const found = parameters.get(Name);
    if (found === undefined) return null;
    const { type, value, version } = found;
    const isReadable = type !== 'SecureString' || WithDecryption === true;
    const shown = isReadable ? value : Buffer.from('encrypted').toString('base64');
    return { Name, ARN: toArn(Name), Type: type, Value: shown, Version: version };
  };
  const operations: Readonly<Record<string, (input: Input) => Reply>> = {
    GetParameter: (input) => {
      const Parameter = read(String(input.Name), input);
      return Parameter === null
        ? toJsonError('ParameterNotFound', 'Parameter not found.')
        : toJson(200, { Parameter });
    },
    GetParameters: (input) => {
      const names = input.Names as readonly string[];
      if (names.length < 1 || names.length > MAX_NAMES || new Set(names).size < names.length)
        return toJsonError('ValidationException', `Names must contain 1 to ${MAX_NAMES} distinct names.`);
      const Parameters = names.flatMap((name) => read(name, input) ?? []);
      const InvalidParameters = names.filter((name) => !parameters.has(name));
      return toJson(200, { Parameters, InvalidParameters });
    },
    PutParameter: ({ Name, Value, Type, Overwrite, Tier }) => {
      const found = parameters.get(String(Name));
      if (found !== undefined && Overwrite !== true)
        return toJsonError('ParameterAlreadyExists', 'The parameter already exists.');
      const bytes = Buffer.byteLength(String(Value));
      const limit = Tier === 'Advanced' || Tier === 'Intelligent-Tiering' ? ADVANCED_BYTES : STANDARD_BYTES;
      if (bytes === 0 || bytes > limit)
        return toJsonError('ValidationException', `A value in this tier must have 1 to ${limit} bytes.`);
      const version = (found?.version ?? 0) + 1;
      parameters.set(String(Name), { type: String(Type ?? found?.type), value: String(Value), version });
      return toJson(200, { Version: version, Tier: bytes > STANDARD_BYTES ? 'Advanced' : 'Standard' });
    },
    DeleteParameter: ({ Name }) =>
      parameters.delete(String(Name))
        ? toJson(200, {})
        : toJsonError('ParameterNotFound', 'Parameter not found.'),
  };
  return (operation, input) => operations[operation]?.(input);
};

/** Secrets of Secrets Manager, by their ARN or name. https://docs.aws.amazon.com/secretsmanager/latest/apireference/ */
export const createSecrets = (toArn: (name: string) => string): Operate => {
  const secrets = new Map<string, { readonly name: string; readonly value: string }>();
  const arnOf = (id: unknown) => (String(id).startsWith('arn:') ? String(id) : toArn(String(id)));
  const missing = () =>
    toJsonError('ResourceNotFoundException', "Secrets Manager can't find the specified secret.");
  const operations: Readonly<Record<string, (input: Input) => Reply>> = {
    CreateSecret: ({ Name, SecretString }) => {
      const ARN = arnOf(Name);
      if (secrets.has(ARN)) return toJsonError('ResourceExistsException', 'The secret already exists.');
      secrets.set(ARN, { name: String(Name), value: String(SecretString) });
      return toJson(200, { ARN, Name });
    },
    PutSecretValue: ({ SecretId, SecretString }) => {
      const ARN = arnOf(SecretId);
      const found = secrets.get(ARN);
      if (found === undefined) return missing();
      secrets.set(ARN, { ...found, value: String(SecretString) });
      return toJson(200, { ARN, Name: found.name });
    },
    GetSecretValue: ({ SecretId }) => {
      const ARN = arnOf(SecretId);
      const found = secrets.get(ARN);
      if (found === undefined) return missing();
      return toJson(200, { ARN, Name: found.name, SecretString: found.value });
    },
  };
  return (operation, input) => operations[operation]?.(input);
};
