/** Decisions about renewed and cancelled tokens. */
@NullMarked
package io.lampone.tm.token.core;

import org.jspecify.annotations.NullMarked;
