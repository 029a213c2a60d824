/** Exceptions of the client's cores. The API layer translates them to its own. */
@NullMarked
package io.lampone.client.core.failure;

import org.jspecify.annotations.NullMarked;
