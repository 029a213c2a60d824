/** Outcome of a transaction that has been asked for by its name. */
@NullMarked
package io.lampone.client.core.status;

import org.jspecify.annotations.NullMarked;
