import { I18nProvider } from '@cloudscape-design/components/i18n';
import messages from '@cloudscape-design/components/i18n/messages/all.en';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { CONSOLE_PATH } from '../console-settings.ts';
import { queryClient } from './api/use-api.ts';
import { Shell } from './shell/shell.tsx';
import { applyTheme } from './shell/theme.ts';
import './console.css';

applyTheme();
const element = document.querySelector('#console');
if (element === null) throw new Error('the page has no element for the console');
createRoot(element).render(
  <StrictMode>
    <I18nProvider locale="en" messages={[messages]}>
      <QueryClientProvider client={queryClient}>
        <Router base={CONSOLE_PATH}>
          <Shell />
        </Router>
      </QueryClientProvider>
    </I18nProvider>
  </StrictMode>,
);
