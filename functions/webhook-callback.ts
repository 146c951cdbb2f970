import { createCallbackFunction } from '../lib/app/callback-handler.ts';
import { openCallbacks } from '../lib/app/compose/background.ts';
import { serve } from '../lib/app/sandbox.ts';

export const handler = serve(createCallbackFunction(openCallbacks()));
