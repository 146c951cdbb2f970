import { openState } from '../../lib/app/compose/admin.ts';
import { serve } from '../../lib/app/sandbox.ts';
import { createState } from '../../lib/app/state.ts';

export const handler = serve(createState(openState()));
