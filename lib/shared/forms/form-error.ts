import { toPointerKey } from '../describe.ts';

export interface FormError {
  /** The field; null if the problem concerns the answers as a whole. */
  readonly name: string | null;
  /** A sentence for the person filling in the form. Contains nothing that was typed, except a name without a field. */
  readonly message: string;
}

/** An error as a member of a problem, with a JSON Pointer as a URI fragment (RFC 6901 §6). */
export const toErrorMember = ({ name, message }: FormError) => ({
  pointer: name === null ? '#' : `#/${encodeURIComponent(toPointerKey(name.toWellFormed()))}`,
  detail: message,
});
