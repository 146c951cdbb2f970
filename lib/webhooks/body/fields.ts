import type { JsonObject, JsonValue } from '@hookloom/plugin-kit';

/** The fields of a form or a query, in the order in which their names appear. */
interface Fields {
  /** Adds a field; repeated names produce an array. */
  add(name: string, value: JsonValue): void;
  toObject(): JsonObject;
}

export const createFields = (): Fields => {
  const values = new Map<string, JsonValue>();
  const repeated = new Map<string, JsonValue[]>();
  return {
    add: (name, value) => {
      const first = values.get(name);
      if (first === undefined) {
        values.set(name, value);
        return;
      }
      const list = repeated.get(name) ?? [first];
      list.push(value);
      repeated.set(name, list);
      values.set(name, list);
    },
    toObject: () => Object.fromEntries(values), // defines properties, so that a name such as `__proto__` is data
  };
};
