import AppLayout from '@cloudscape-design/components/app-layout';
import Box from '@cloudscape-design/components/box';
import SideNavigation from '@cloudscape-design/components/side-navigation';
import Spinner from '@cloudscape-design/components/spinner';
import TopNavigation from '@cloudscape-design/components/top-navigation';
import { type ReactNode, Suspense, useCallback, useLayoutEffect, useState } from 'react';
import { Route, Switch, useLocation } from 'wouter';
import { CONSOLE_PATH } from '../../console-settings.ts';
import { AppLink } from '../parts/app-link.tsx';
import { FailureBoundary } from '../parts/failure-boundary.tsx';
import { settings } from '../parts/page-settings.ts';
import { focusHeading, useLostFocus, useNavigationFocus } from './navigation.ts';
import { Search, useSearchKey } from './search.tsx';
import { SignInOutcome } from './sign-in-outcome.tsx';
import { chooseTheme, currentTheme } from './theme.ts';
import { sections, views } from './views.ts';

const SERVICE = settings.stage === null ? 'Hookloom' : `Hookloom · ${settings.stage}`;

/** What surrounds every view: navigation, theme, search. */
export const Shell = (): ReactNode => {
  const [location, navigate] = useLocation();
  const [theme, setTheme] = useState(currentTheme);
  const [isNavigationOpen, setNavigationOpen] = useState(() => innerWidth > 700);
  const [isSearchOpen, setSearchOpen] = useState(false);
  const openSearch = useCallback(() => setSearchOpen(true), []);
  useSearchKey(openSearch);
  useNavigationFocus(location);
  useLostFocus();
  const other = theme === 'dark' ? 'light' : 'dark';
  const place = location === '/new-workflow' ? '/workflows' : location;
  const active = sections.find(({ path }) => path !== '/' && place.startsWith(path))?.path ?? '/';
  return (
    <>
      <button type="button" className="skip-to-content" onClick={focusHeading}>
        Skip to the content
      </button>
      <div id="console-top">
        <TopNavigation
          identity={{
            href: CONSOLE_PATH,
            title: SERVICE,
            onFollow: (event) => {
              event.preventDefault();
              navigate('/');
            },
          }}
          utilities={[
            {
              type: 'button',
              iconName: 'search',
              text: 'Search',
              ariaLabel: 'Search (press / or Ctrl K)',
              disableUtilityCollapse: true,
              onClick: openSearch,
            },
            ...(settings.isReadOnly
              ? [{ type: 'button', text: 'Read-only', disableUtilityCollapse: true } as const]
              : []),
            {
              type: 'button',
              text: other === 'dark' ? 'Dark' : 'Light',
              ariaLabel: `Switch to the ${other} theme`,
              onClick: () => {
                chooseTheme(other);
                setTheme(other);
              },
            },
          ]}
        />
      </div>
      {isSearchOpen && <Search onClose={() => setSearchOpen(false)} />}
      <AppLayout
        headerSelector="#console-top"
        toolsHide
        maxContentWidth={1_680}
        notifications={<SignInOutcome />}
        navigationOpen={isNavigationOpen}
        onNavigationChange={({ detail }) => setNavigationOpen(detail.open)}
        navigation={
          <SideNavigation
            activeHref={`${CONSOLE_PATH}${active === '/' ? '' : active}`}
            items={sections.map(({ path, text }) => ({
              type: 'link',
              text,
              href: `${CONSOLE_PATH}${path === '/' ? '' : path}`,
            }))}
            onFollow={(event) => {
              if (event.detail.external === true) return;
              event.preventDefault();
              navigate(event.detail.href.slice(CONSOLE_PATH.length) || '/');
              if (innerWidth <= 700) setNavigationOpen(false);
            }}
          />
        }
        content={
          <FailureBoundary key={location}>
            <Switch>
              {views.map(({ path, title, View }) => (
                <Route key={path} path={path}>
                  {(params) => (
                    <Titled title={fillTitle(title, params)}>
                      <Suspense fallback={<Spinner size="large" />}>
                        <View />
                      </Suspense>
                    </Titled>
                  )}
                </Route>
              ))}
              <Route>
                <Titled title="Not found">
                  <NotFound />
                </Titled>
              </Route>
            </Switch>
          </FailureBoundary>
        }
      />
    </>
  );
};

const fillTitle = (title: string, params: Readonly<Record<string, string | undefined>>): string =>
  title.replaceAll(/:(\w+)/g, (_, name: string) => params[name] ?? '');

/**
 * A view, with its title on the tab and in the browser's history. The title is there before the view: a screen reader reads
 * it when the link that had the focus is removed.
 */
const Titled = ({ title, children }: { readonly title: string; readonly children: ReactNode }): ReactNode => {
  useLayoutEffect(() => {
    document.title = `${title} · ${SERVICE}`;
  }, [title]);
  return children;
};

const NotFound = (): ReactNode => (
  <Box textAlign="center" padding="xxl">
    <Box variant="h1">There is no such page</Box>
    <Box variant="p">
      <AppLink to="/">Go to the overview</AppLink>
    </Box>
  </Box>
);
