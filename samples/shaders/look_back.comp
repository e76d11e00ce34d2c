// The sum of all workgroups before this one: each waits for the sum of the one before it, and hands on its own.
// The sums are not coherent, so that nothing makes them available to another workgroup.
//
// @Input: %items = {{3, 4, 5}}, %flags = {{0, 0, 0}}, %sums = {{0, 0, 0}}, %before = {{9, 9, 9}}
// @Output: forall (%before[0][0] == 0 and %before[0][1] == 3 and %before[0][2] == 7)
// @Config: 1, 1, 3
#version 450
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) readonly buffer Items { uint v[]; } items;
layout(set = 0, binding = 1) buffer Flags { uint v[]; } flags;
layout(set = 0, binding = 2) buffer Sums { uint v[]; } sums;
layout(set = 0, binding = 3) buffer Before { uint v[]; } before;

void main() {
    uint group = gl_WorkGroupID.x;
    uint sum = 0;
    if (group > 0) {
        while (atomicLoad(flags.v[group - 1], gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquire) == 0) {
        }
        sum = sums.v[group - 1];
    }
    before.v[group] = sum;
    sums.v[group] = sum + items.v[group];
    atomicStore(flags.v[group], 1u, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease);
}
