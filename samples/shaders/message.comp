// A message from one workgroup to another: the data, and a flag that says that it is there.
// The data is not coherent, so that nothing makes it available to the other workgroup.
//
// @Input: %data = {0}, %flag = {0}, %result = {{9, 9}}
// @Output: forall (%result[0][0] == 0 or %result[0][1] == 5)
// @Config: 1, 1, 2
#version 450
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Data { uint v; } data;
layout(set = 0, binding = 1) buffer Flag { uint v; } flag;
layout(set = 0, binding = 2) buffer Result { uint v[2]; } result;

void main() {
    if (gl_WorkGroupID.x == 0) {
        data.v = 5;
        atomicStore(flag.v, 1u, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease);
    } else {
        uint seen = atomicLoad(flag.v, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquire);
        result.v[0] = seen;
        if (seen == 1)
            result.v[1] = data.v;
    }
}
