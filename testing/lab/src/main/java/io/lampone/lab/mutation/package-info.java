/** Mutation campaign: planted bugs, the layers of tests that look for them, and the results. */
@NullMarked
package io.lampone.lab.mutation;

import org.jspecify.annotations.NullMarked;
