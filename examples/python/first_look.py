# %% [markdown]
# # A first look at a market
#
# Editors such as VS Code show this file as a notebook; `python first_look.py` runs it as a script.

# %%
import os
from pathlib import Path

import duckdb
import polars as pl

# The folder of one build: all files below it belong to the same night.
build = (Path(os.environ.get("TIDEMARK_DATA", "data")) / "published" / "current").resolve()

# %% [markdown]
# ## The DuckDB file
#
# Open it read-only. A night that is published meanwhile does not disturb this connection.

# %%
market = duckdb.connect(build / "market.duckdb", read_only=True)
largest = market.sql("""
    SELECT company_id, name, country_code, fiscal_year, turnover_eur
    FROM marts.companies
    WHERE in_market
    ORDER BY turnover_eur DESC NULLS LAST, company_id
    LIMIT 10
""").pl()
print("The largest companies", largest)

# %% [markdown]
# What does a column mean? Every table and column has a comment.

# %%
meaning = market.execute("""
    SELECT comment FROM duckdb_columns()
    WHERE schema_name = 'marts' AND table_name = 'companies' AND column_name = 'turnover_eur'
""").fetchone()[0]
print("turnover_eur:", meaning)

# %% [markdown]
# ## The Parquet lake, without DuckDB

# %%
companies = pl.scan_parquet(build / "lake" / "marts" / "companies" / "*.parquet")
by_country = (
    companies.filter("in_market")
    .group_by("country_code")
    .agg(pl.len().alias("companies"), pl.col("turnover_growth").median().alias("median_growth"))
    .sort("companies", "country_code", descending=[True, False])
    .collect()
)
print("Companies in the market by country", by_country)

# %% [markdown]
# Both show the same companies.

# %%
in_file = market.execute("SELECT count(*) FROM marts.companies WHERE in_market").fetchone()[0]
assert by_country["companies"].sum() == in_file
print(f"{in_file} companies are in the market.")
