import {defineConfig} from 'vite';

// The page goes where the engine is, `build/lab`, and asks for everything by relative addresses: any static server does.
export default defineConfig({
  base: './',
  publicDir: false,
  esbuild: {jsx: 'automatic', jsxImportSource: 'preact'},
  build: {
    outDir: process.env.HEDDLE_LAB_FOLDER ?? '../../../build/lab',
    emptyOutDir: false,
    assetsDir: 'assets',
    target: 'es2022',
    chunkSizeWarningLimit: 2000,
  },
  worker: {format: 'iife'},
  server: {fs: {allow: ['../../..']}},
});
