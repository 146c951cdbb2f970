export type Theme = 'light' | 'dark';

const KEY = 'hookloom-theme';

const chosen = (): Theme | null => {
  const value = localStorage.getItem(KEY);
  return value === 'light' || value === 'dark' ? value : null;
};

const systemIsDark = matchMedia('(prefers-color-scheme: dark)');

/** The theme that was chosen, or the system's. */
export const currentTheme = (): Theme => chosen() ?? (systemIsDark.matches ? 'dark' : 'light');

const showTheme = (): void => {
  const theme = currentTheme();
  document.body.classList.toggle('awsui-dark-mode', theme === 'dark');
  document.documentElement.style.colorScheme = theme;
};

/** Applies the current theme to the page, now and when the system's changes. */
export const applyTheme = (): void => {
  systemIsDark.addEventListener('change', showTheme);
  showTheme();
};

/** Keeps a choice of theme in this browser, and applies it. */
export const chooseTheme = (theme: Theme): void => {
  localStorage.setItem(KEY, theme);
  showTheme();
};
