// Chooses the theme before the first paint: a classic script of its own, since the policy of the page allows none inside it.
(() => {
  const chosen = localStorage.getItem('theme');
  const dark = matchMedia('(prefers-color-scheme: dark)').matches;
  document.documentElement.dataset.theme =
    chosen === 'light' || chosen === 'dark' ? chosen : dark ? 'dark' : 'light';
})();
