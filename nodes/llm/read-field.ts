import { isJsonMap, type JsonObject, type JsonValue } from '@hookloom/plugin-kit';

/** The map under a key of an answer; an empty one where there is none. */
export const mapAt = (value: JsonValue | undefined, key: string): JsonObject => {
  const found = valueAt(value, key);
  return isJsonMap(found) ? found : {};
};

/** The maps in the list under a key of an answer. */
export const mapsAt = (value: JsonValue | undefined, key: string): readonly JsonObject[] => {
  const found = valueAt(value, key);
  return Array.isArray(found) ? found.filter(isJsonMap) : [];
};

/** Whether there is a list under a key of an answer. */
export const hasList = (value: JsonValue | undefined, key: string): boolean =>
  Array.isArray(valueAt(value, key));

/** The text under a key of an answer; empty where there is none. */
export const textAt = (value: JsonValue | undefined, key: string): string => {
  const found = valueAt(value, key);
  return typeof found === 'string' ? found : '';
};

const valueAt = (value: JsonValue | undefined, key: string): JsonValue | undefined =>
  isJsonMap(value) && Object.hasOwn(value, key) ? value[key] : undefined;
