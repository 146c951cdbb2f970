/**
 * A condition for `allOf` of the schema of parameters: what else must hold while one of them has a value.
 *
 * @param isDefault - whether it has the value when it is absent
 */
export const when = (parameter: string, value: string, then: object, isDefault = false) => ({
  if: { properties: { [parameter]: { const: value } }, required: isDefault ? [] : [parameter] },
  then,
});

/** A branch for each parameter, of which one must be there (`anyOf`), or exactly one (`oneOf`). */
export const eachOf = (...parameters: readonly string[]) =>
  parameters.map((parameter) => ({ required: [parameter] }));
