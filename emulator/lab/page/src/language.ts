/** The Vulkan litmus dialect, as far as colours need it. */
import {StreamLanguage} from '@codemirror/language';
import {codeColours, tokenTable} from './code_colours';

const kInstruction = /^(?:ld|st|rmw|membar|cbar|avdevice|visdevice|beginlock|endlock|free|coopld|coopst|flush|invalidate|submit|wait|signal|idle|set|dispatch|copy|fill|update|dep|await|release|acquire|goto|add|sub|mul|div|and|or|xor|b(?:eq|ne|lt|le|gt|ge))(?![\w])/;
const kCall = /^(?:load|store|atomic(?:Load|Store|Exchange|Add|Sub|Mul|Div|And|Or|Xor)|memoryBarrier|controlBarrier|coopLoad|coopStore|makeAvailableToDevice|makeVisibleFromDevice|(?:begin|end)InvocationInterlock|if)(?=\s*\()/;
const kOrder = /^(?:Relaxed|Acquire|Release|AcquireRelease)\b/;
const kScope = /^(?:Subgroup|Workgroup|QueueFamily|Device|ShaderCall|FragmentInterlock)\b/;
const kSemantics = /^(?:UniformMemory|WorkgroupMemory|ImageMemory|OutputMemory|MakeAvailable|MakeVisible|NonPrivate)\b/;
// Masks of host tests: stages, and accesses behind a point or a plus.
const kMask = /^(?:none|indirect|compute|copy|clear|transfer|host|all)(?=[.+])/;
const kStage = /^(?:none|indirect|compute|copy|clear|transfer|host|all)(?=[\s|;,]|$)/;
const kAccess = /^\+?(?:storage|uniform|shader|transfer|indirect|host|memory)_(?:read|write)\b/;
const kTag = /^\.(?:atom|acq_rel|acq|rel|nonpriv|av|vis|semav|semvis|sem(?:sc[0-3])|sc[0-3]|scin|sg|wg|qf|dv|sh|fi|\w+)/;

interface State {
  headed: boolean;
  inComment: '*)' | '>>' | null;
}

const language = StreamLanguage.define<State>({
  name: 'vulkan-litmus',
  startState: () => ({headed: false, inComment: null}),
  token(stream, state) {
    if (!state.headed) {
      // Up to the first brace all is a comment, whose first line has the name.
      if (stream.match(/^(?:VULKAN|Vulkan|vulkan)\b/)) return 'keyword';
      if (stream.peek() === '{') {
        state.headed = true;
        stream.next();
        return 'brace';
      }
      stream.next();
      stream.eatWhile(/[^{]/);
      return 'comment';
    }
    if (state.inComment) {
      if (stream.match(state.inComment)) state.inComment = null;
      else stream.next();
      return 'comment';
    }
    if (stream.match('(*')) {
      state.inComment = '*)';
      return 'comment';
    }
    if (stream.match('<<')) {
      state.inComment = '>>';
      return 'comment';
    }
    if (stream.eatSpace()) return null;
    if (stream.match(/^(?:~?exists|forall|filter|locations|not|ssw|aliases|feeds|interlock|noncoherent|uniform|exclusive|atom)\b/)) return 'keyword';
    if (stream.match(kMask)) return 'type';
    if (stream.match(kCall) || stream.match(kInstruction)) return 'operator';
    if (stream.match(kOrder)) return 'modifier';
    if (stream.match(kScope) || stream.match(kStage)) return 'type';
    if (stream.match(kSemantics) || stream.match(kAccess)) return 'attribute';
    const tag = stream.match(kTag) as RegExpMatchArray | null;
    if (tag) return /acq|rel|atom/.test(tag[0]) ? 'modifier' : /^\.(?:sg|wg|qf|dv|sh|fi)$/.test(tag[0]) ? 'type' : 'attribute';
    if (stream.match(/^[PHB]\d+(?:@(?:host|q\b)?|\b)/)) return 'heading';
    if (stream.match(/^r\d+\b/)) return 'variable';
    if (stream.match(/^-?(?:0x[\da-f]+|\d+)\b/i)) return 'number';
    if (stream.match(/^#.*?(?=[|;]|$)/)) return 'meta';
    if (stream.match(/^[A-Za-z_]\w*/)) return 'name';
    stream.next();
    return null;
  },
  tokenTable,
});

export const litmus = [language, codeColours];
