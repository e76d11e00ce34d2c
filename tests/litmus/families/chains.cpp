// Chains: P0 writes, P1 of its workgroup passes the write on to a wider domain, P2 in another
// workgroup reads; or the same for visibility, where P1 is next to the reader.
//
// Reasoning. P0 makes its write available to the workgroup domain only. An availability operation
// of P1 at device scope, performed in that workgroup and after P0's, lifts it to the shader domain:
// that is a chain of two elements. Without the feature a chain has one element, P1's operation
// covers P1's writes alone, and the write is never available where P2 can see it. Visibility
// mirrors this. Both flags are looked at as seen, so everything else is as for MP.

#include "tests/litmus/families/library_test.h"

namespace heddle::litmus::library {
namespace {

struct Spec {
  std::string name;
  std::string write;
  std::string release;  // of flag a by the first thread
  std::string acquire;  // of flag a by the second
  std::string publish;  // of flag b by the second
  std::string take;     // of flag b by the third
  std::string read;
  Where second;
  Where third;
  bool with_chains;  // whether the data is handed over
  bool without_chains;
  std::string reason;
  std::string twin;
};

Verdict verdict(bool handed_over) {
  const std::string start = "P1:r0=1 P2:r0=1 P2:r1=";
  Verdict out{!handed_over, !handed_over, handed_over ? 1 : 2, {}};
  if (!handed_over) out.outcomes.push_back(start + "0");
  out.outcomes.push_back(start + "1");
  return out;
}

LibraryTest make(const Spec& spec) {
  LibraryTest out;
  out.name = "Chain+" + spec.name;
  out.declarations = {"data=0", "a=0", "b=0"};
  out.threads = {{{0, 0, 0}, {spec.write, spec.release}},
                 {spec.second, {spec.acquire, spec.publish}},
                 {spec.third, {spec.take, spec.read}}};
  out.filter = "P1:r0 == 1 /\\ P2:r0 == 1";
  out.assertion = "exists (P2:r1 == 0)";
  out.verdict = verdict(spec.with_chains);
  if (spec.with_chains != spec.without_chains) out.without_chains = verdict(spec.without_chains);
  out.reason = spec.reason;
  out.clause = "vk:memory-model-availability-visibility";
  out.twin = "Chain+" + spec.twin;
  return out;
}

}  // namespace

Family chains() {
  const Where same = {1, 0, 0};
  const Where other = {0, 1, 0};
  const std::string nonprivate = "st.nonpriv.sc0 data, 1";
  const std::string load = "ld.nonpriv.sc0 r1, data";
  const std::string vis = "ld.vis.dv.sc0 r1, data";
  const auto rel = [](const std::string& scope, const std::string& flags, const char* flag) {
    return "st.atom.rel." + scope + ".sc0.semsc0" + flags + ' ' + flag + ", 1";
  };
  const auto acq = [](const std::string& scope, const std::string& flags, const char* flag) {
    return "ld.atom.acq." + scope + ".sc0.semsc0" + flags + " r0, " + flag;
  };
  const auto up = [&](const std::string& name, const std::string& first, const std::string& second, bool with,
                      bool without, const std::string& reason, const std::string& twin) {
    return make({name, nonprivate, rel("wg", first, "a"), acq("wg", "", "a"), rel("dv", second, "b"),
                 acq("dv", "", "b"), vis, same, other, with, without, reason, twin});
  };
  Family out;
  out.push_back(up("av", ".semav", ".semav", true, false,
                   "workgroup domain, then shader domain: a chain of two availability operations",
                   "av+missing-second"));
  out.push_back(up("av+missing-second", ".semav", "", false, false,
                   "no thread makes the write available outside its workgroup", "av"));
  out.push_back(up("av+missing-first", "", ".semav", false, false,
                   "a chain starts with an availability operation of the writer itself", "av"));
  // The writer's own operation at device scope needs no help.
  out.push_back(make({"av+wide", "st.av.dv.sc0 data, 1", rel("wg", "", "a"), acq("wg", "", "a"), rel("dv", "", "b"),
                      acq("dv", "", "b"), vis, same, other, true, true,
                      "one availability operation at device scope is enough", "av+narrow"}));
  out.push_back(make({"av+narrow", "st.av.wg.sc0 data, 1", rel("wg", "", "a"), acq("wg", "", "a"), rel("dv", "", "b"),
                      acq("dv", "", "b"), vis, same, other, false, false,
                      "availability in the workgroup domain is none for another workgroup", "av+wide"}));
  out.push_back(make({"av+each", "st.av.wg.sc0 data, 1", rel("wg", "", "a"), acq("wg", "", "a"),
                      rel("dv", ".semav", "b"), acq("dv", "", "b"), vis, same, other, true, false,
                      "a per-instruction availability operation may be a chain's first element", "av+narrow"}));
  out.push_back(make({"av+lifted-elsewhere", nonprivate, rel("dv", ".semav", "a"), acq("dv", "", "a"),
                      rel("dv", ".semav", "b"), acq("dv", "", "b"), vis, other, Where{0, 2, 0}, true, true,
                      "availability at device scope reaches every workgroup at once", "av+lifted-elsewhere+narrow"}));
  // P0's operation at workgroup scope, with an edge at device scope to P1 in another workgroup:
  // made with a per-instruction operation, because flags share the release's scope.
  out.push_back(make({"av+lifted-elsewhere+narrow", "st.av.wg.sc0 data, 1", rel("dv", "", "a"), acq("dv", "", "a"),
                      rel("dv", ".semav", "b"), acq("dv", "", "b"), vis, other, Where{0, 2, 0}, false, false,
                      "the second element must be performed inside the first one's workgroup", "av+lifted-elsewhere"}));
  const auto down = [&](const std::string& name, const std::string& first, const std::string& second,
                        const std::string& read, bool with, bool without, const std::string& reason,
                        const std::string& twin) {
    return make({name, "st.av.dv.sc0 data, 1", rel("dv", "", "a"), acq("dv", first, "a"), rel("wg", "", "b"),
                 acq("wg", second, "b"), read, other, Where{1, 1, 0}, with, without, reason, twin});
  };
  out.push_back(down("vis", ".semvis", ".semvis", load, true, false,
                     "shader domain, then workgroup domain: a chain of two visibility operations",
                     "vis+missing-second"));
  out.push_back(down("vis+missing-second", ".semvis", "", load, false, false,
                     "a chain ends with a visibility operation of the reader itself", "vis"));
  out.push_back(down("vis+missing-first", "", ".semvis", load, false, false,
                     "no thread in the reader's workgroup looks into the shader domain", "vis"));
  out.push_back(down("vis+each", ".semvis", "", "ld.vis.wg.sc0 r1, data", true, false,
                     "a per-instruction visibility operation may be a chain's last element", "vis+missing-first+each"));
  out.push_back(down("vis+missing-first+each", "", "", "ld.vis.wg.sc0 r1, data", false, false,
                     "a look into the workgroup domain does not see the shader domain", "vis+each"));
  out.push_back(down("vis+wide", "", "", "ld.vis.dv.sc0 r1, data", true, true,
                     "one visibility operation at device scope is enough", "vis+missing-first+each"));
  return out;
}

}  // namespace heddle::litmus::library
