// The fonts of the reader's system: the site loads nothing from other servers.
export { default } from 'vitepress/theme-without-fonts';
