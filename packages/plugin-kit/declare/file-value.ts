import { closed } from './closed.ts';
import { Type } from './type.ts';

/** A file of the execution: see `FileValue`. */
export const fileValue = closed({
  $file: Type.String(),
  name: Type.String(),
  mediaType: Type.String(),
  size: Type.Integer(),
  sha256: Type.String(),
});
