/** Holds at the transaction manager, which keep used snapshots readable. */
@NullMarked
package io.lampone.client.core.hold;

import org.jspecify.annotations.NullMarked;
