import { Type } from '@hookloom/plugin-kit';

/** Parameters of the nodes `if` and `filter`. */
export const conditionParameters = Type.Object({
  condition: Type.Boolean({
    description: 'Usually an expression, such as {{ body.total > 100 }}; must give true or false',
  }),
});
