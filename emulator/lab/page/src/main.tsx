import {render} from 'preact';
import {Engine} from './engine';
import './style.css';

// The engine loads while the browser still reads the rest of the page.
const asker = new Engine();
asker.begin();
const {App} = await import('./app');
const place = document.getElementById('lab')!;
place.replaceChildren();
render(<App asker={asker} />, place);
