import { openDispatch } from '../lib/app/compose/triggers.ts';
import { serve } from '../lib/app/sandbox.ts';
import { createDispatchFunction } from '../lib/app/triggers/dispatch-handler.ts';
import { describedPlugins } from '../nodes/described.ts';

export const handler = serve(createDispatchFunction(openDispatch(describedPlugins)));
