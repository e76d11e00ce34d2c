import {render} from 'preact';
import {App} from './app';
import './style.css';

const place = document.getElementById('lab')!;
place.replaceChildren();
render(<App />, place);
