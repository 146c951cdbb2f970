import { isPlainObject, type JsonObject } from '../contract/json.ts';
import { Emission, MAIN_OUTPUT } from '../contract/node.ts';

/** The data that a node returned, by output. @throws TypeError with the place of what the service would refuse */
export const readOutputs = (result: unknown): Readonly<Record<string, JsonObject>> => {
  const outputs = result instanceof Emission ? result.outputs : { [MAIN_OUTPUT]: result ?? {} };
  for (const [output, data] of Object.entries(outputs)) {
    if (!isPlainObject(data)) throw new TypeError(`the node must deliver an object on "${output}"`);
    const place = findNoJson(data, output);
    if (place !== null) throw new TypeError(`${place} can't be carried by JSON`);
  }
  return outputs as Readonly<Record<string, JsonObject>>;
};

/** The place of the first value that is not JSON; null if there is none. */
const findNoJson = (value: unknown, place: string): string | null => {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return null;
  if (typeof value === 'number') return Number.isFinite(value) ? null : place;
  if (!Array.isArray(value) && !isPlainObject(value)) return place;
  for (const [key, inner] of Object.entries(value)) {
    const found = findNoJson(inner, `${place}.${key}`);
    if (found !== null) return found;
  }
  return null;
};
