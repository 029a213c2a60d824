/** Timestamps of an epoch, and the lease under which they are issued. */
@NullMarked
package io.lampone.tm.core.oracle;

import org.jspecify.annotations.NullMarked;
