/** Lookup of the outcome of a transaction by its name. */
@NullMarked
package io.lampone.client.core.status;

import org.jspecify.annotations.NullMarked;
