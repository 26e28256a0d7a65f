import { render } from 'preact';
import { App } from './app.js';
import { followTheme } from './lib/theme.js';
import './styles/base.css';
import './styles/layout.css';
import './styles/parts.css';
import './styles/views.css';

// Trusted types: libraries may empty an element, and nothing else may become HTML.
window.trustedTypes?.createPolicy('default', {
  createHTML: (text) => {
    if (text === '') return text;
    throw new TypeError('The explorer inserts no HTML.');
  },
});

followTheme();
const root = document.getElementById('app');
if (root !== null) render(<App />, root);
