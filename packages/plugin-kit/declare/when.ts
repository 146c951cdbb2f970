/**
 * A condition for the `allOf` of a parameters' schema: what must also hold while one parameter has a certain value.
 * @param isDefault - whether an absent parameter has that value
 */
export const when = (parameter: string, value: string, then: object, isDefault = false) => ({
  if: { properties: { [parameter]: { const: value } }, required: isDefault ? [] : [parameter] },
  then,
});

/** One branch for each parameter, of which at least one (`anyOf`) or exactly one (`oneOf`) must be present. */
export const eachOf = (...parameters: readonly string[]) =>
  parameters.map((parameter) => ({ required: [parameter] }));
