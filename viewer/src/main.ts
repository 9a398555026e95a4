import { App } from './app';

declare global {
  interface Window { sdfgViewer: App }
}

window.sdfgViewer = new App(document.getElementById('app')!);
void window.sdfgViewer.start();
