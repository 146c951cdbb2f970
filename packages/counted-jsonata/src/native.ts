import type { Run } from './run.ts';
import { parseSignature, type Signature } from './signature.ts';
import { Func } from './values.ts';

/** The signature is checked before each call, so the implementation need not check its parameters. */
type Implementation = (run: Run, ...args: never[]) => unknown;

/** A built-in function. It charges the run's budget in proportion to its work. */
export interface Native {
  readonly signature: string;
  readonly implementation: Implementation;
}

/** The built-in functions by name, without the `$`. */
export type Natives = ReadonlyMap<string, Native>;

export const native = (signature: string, implementation: Implementation): Native => ({
  signature,
  implementation,
});

const signatures = new Map<string, Signature>();

const signatureOf = (definition: string): Signature => {
  let signature = signatures.get(definition);
  if (signature === undefined) {
    signature = parseSignature(definition);
    signatures.set(definition, signature);
  }
  return signature;
};

/** A built-in function as a value in an evaluation. */
export const toFunc = (run: Run, { signature, implementation }: Native): Func => {
  const call = implementation as (run: Run, ...args: unknown[]) => unknown;
  return new Func(implementation.length - 1, (args, context) =>
    call(run, ...signatureOf(signature).validate(args, context)),
  );
};
