import type { Run } from './run.ts';
import { parseSignature, type Signature } from './signature.ts';
import { Func } from './values.ts';

/** Its parameters are what the signature lets through: that is checked before each call. */
type Implementation = (run: Run, ...args: never[]) => unknown;

/** A function that is there from the start. It charges the run for what it does, in proportion to what it touches. */
export interface Native {
  readonly signature: string;
  readonly implementation: Implementation;
}

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

/** A native as a value of an evaluation. */
export const toFunc = (run: Run, { signature, implementation }: Native): Func => {
  const call = implementation as (run: Run, ...args: unknown[]) => unknown;
  return new Func(implementation.length - 1, (args, context) =>
    call(run, ...signatureOf(signature).validate(args, context)),
  );
};
