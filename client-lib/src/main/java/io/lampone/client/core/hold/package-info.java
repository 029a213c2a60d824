/** Keeps snapshots readable for as long as they are used: holds at the transaction manager. */
@NullMarked
package io.lampone.client.core.hold;

import org.jspecify.annotations.NullMarked;
