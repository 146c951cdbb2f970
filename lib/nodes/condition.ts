/** Parameters of the nodes `if` and `filter`. */
export const conditionSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['condition'],
  properties: {
    condition: {
      type: 'boolean',
      description: 'Usually an expression, such as {{ body.total > 100 }}; must give true or false',
    },
  },
} as const;
